// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

long epitaph_file_system_number(int file) {
    struct statfs status;
    return fstatfs(file, &status) == 0 ? (long)status.f_type : -1;
}

int epitaph_file_system_synchronize(int file) {
    return syncfs(file);
}

int epitaph_file_rename_to_free(int directory, const char *name, const char *new_name) {
    return renameat2(directory, name, directory, new_name, RENAME_NOREPLACE);
}

int64_t epitaph_file_birth(int file) {
    struct statx status;
    if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return -1;
    return (status.stx_mask & STATX_BTIME) != 0 ? (int64_t)status.stx_btime.tv_sec : -1;
}

bool epitaph_file_gives_capabilities(const char *path) {
    return getxattr(path, "security.capability", NULL, 0) > 0;
}

long epitaph_file_attribute(int file, const char *name, char *value, size_t size) {
    return fgetxattr(file, name, value, size);
}

int epitaph_file_attribute_set(int file, const char *name, const char *value, size_t size) {
    return fsetxattr(file, name, value, size, 0);
}
