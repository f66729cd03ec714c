// SPDX-License-Identifier: Apache-2.0
//
// statfs(2) for Swift.

#include "CFileSystems.h"

#include <sys/vfs.h>
#include <unistd.h>

long epitaph_file_system_number(int file) {
    struct statfs status;
    return fstatfs(file, &status) == 0 ? (long)status.f_type : -1;
}

int epitaph_file_system_synchronize(int file) {
    return syncfs(file);
}
