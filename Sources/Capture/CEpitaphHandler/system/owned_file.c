// SPDX-License-Identifier: Apache-2.0
//
// A descriptor is identified by its file's device and inode.

#include "epitaph_placement.h"
#include "epitaph_system.h"

#include "system/sys.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    LOWEST_NUMBER = 3,
    /// Above this the kernel's descriptor table, which each fork(2) copies, would exceed 2 KiB.
    HIGHEST_NUMBER = 256,
    /// Ours, and some for the files of a concurrent capture.
    NUMBERS_WANTED = 64,
};

static int first_number = LOWEST_NUMBER;

void epitaph_owned_file_choose_numbers(void) {
    struct rlimit limit;
    first_number = LOWEST_NUMBER;
    if (epitaph_sys_resource_limit(RLIMIT_NOFILE, NULL, &limit) < 0) return;
    uint64_t end = limit.rlim_cur < HIGHEST_NUMBER ? limit.rlim_cur : HIGHEST_NUMBER;
    bool has_room = end > LOWEST_NUMBER + NUMBERS_WANTED;
    // The first free numbers are what the program's own files get without us.
    first_number = has_room ? (int)end - NUMBERS_WANTED : (int)(end / 2);
    if (first_number < LOWEST_NUMBER) first_number = LOWEST_NUMBER;
}

/// Moves the descriptor to a high number, or to any above standard error if none is left.
static long move_up(int fd) {
    long moved = epitaph_sys_dup_from(fd, first_number);
    if (moved < 0 && fd < LOWEST_NUMBER) moved = epitaph_sys_dup_from(fd, LOWEST_NUMBER);
    if (moved < 0 && fd >= LOWEST_NUMBER) return fd;
    // Closing the low number drops the file's record lock: do this before taking one.
    epitaph_sys_close(fd);
    return moved;
}

static bool identify(int fd, epitaph_owned_file *file) {
    struct stat status;
    if (epitaph_sys_fstat(fd, &status) < 0) return false;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return true;
}

static long keep(epitaph_owned_file *file, long fd) {
    file->fd = -1;
    if (fd < 0) return fd;
    if (!identify((int)fd, file)) {
        epitaph_sys_close((int)fd);
        return -EBADF;
    }
    file->fd = (int)fd;
    return 0;
}

long epitaph_owned_file_adopt(epitaph_owned_file *file, int fd) {
    return keep(file, move_up(fd));
}

long epitaph_owned_file_duplicate(epitaph_owned_file *file, int fd) {
    return keep(file, epitaph_sys_dup_from(fd, first_number));
}

bool epitaph_owned_file_equals(const epitaph_owned_file *left, const epitaph_owned_file *right) {
    return left->device == right->device && left->inode == right->inode;
}

bool epitaph_owned_file_prove(const epitaph_owned_file *file) {
    epitaph_owned_file present;
    if (file->fd < 0 || !identify(file->fd, &present)) return false;
    return epitaph_owned_file_equals(&present, file);
}

long epitaph_owned_file_take_back(epitaph_owned_file *file, const epitaph_owned_file *found) {
    if (!epitaph_owned_file_equals(found, file)) {
        epitaph_sys_close(found->fd);
        return -ENOENT;
    }
    file->fd = found->fd;
    return 0;
}

EPITAPH_RUN_IN_CHILDREN void epitaph_owned_file_close(epitaph_owned_file *file) {
    // A forked child would get a page of its own for the store.
    if (file->fd < 0) return;
    if (epitaph_owned_file_prove(file)) epitaph_sys_close(file->fd);
    file->fd = -1;
}
