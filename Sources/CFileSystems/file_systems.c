// SPDX-License-Identifier: Apache-2.0

#include "CFileSystems.h"

#include <sys/vfs.h>

long epitaph_file_system_number(int file) {
    struct statfs status;
    return fstatfs(file, &status) == 0 ? (long)status.f_type : -1;
}
