// SPDX-License-Identifier: Apache-2.0
//
// A dump file's life, from opening to sealing.

#include "file/armed_file.h"

#include "epitaph_dump_format.h"
#include "epitaph_file.h"
#include "epitaph_file_owner.h"
#include "memory/memory.h"
#include "system/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/// The lock tells a sweep that the owner is alive. POSIX record locks end with the process, work
/// across pid namespaces and are not inherited by fork(2). Without locks the launch record decides.
///
/// Beyond the owner's part, far longer than any file, is room for locks of children that may
/// inherit the file. A process that tests for the lock tests the whole range.
long epitaph_dump_file_lock(int fd) {
    struct flock lock;
    epitaph_bytes_zero(&lock, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_len = epitaph_owners_part_bytes;
    return epitaph_sys_fcntl_lock(fd, &lock);
}

/// The file's directory: a proven descriptor or a negative errno.
static int directory_of(epitaph_dump_file *file) {
    if (file->directory.fd < 0) return epitaph_pending_directory();
    return epitaph_owned_file_prove(&file->directory) ? file->directory.fd : -EBADF;
}

long epitaph_dump_file_open_locked(epitaph_dump_file *file, int flags) {
    int directory = directory_of(file);
    if (directory < 0) return directory;
    long fd = epitaph_sys_openat(directory, file->locked_name,
                                 O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
    if (fd < 0) return fd;
    if ((flags & O_CREAT) != 0 && file->directory.fd < 0)
        epitaph_pending_set_rights((int)fd, false);
    return epitaph_owned_file_adopt(&file->file, (int)fd);
}

int epitaph_dump_file_descriptor(epitaph_dump_file *file) {
    if (epitaph_owned_file_prove(&file->file)) return file->file.fd;
    epitaph_dump_file found;
    epitaph_bytes_copy(&found, file, sizeof found);
    long result = epitaph_dump_file_open_locked(&found, 0);
    if (result < 0) return (int)result;
    // Another file may be there now.
    result = epitaph_owned_file_take_back(&file->file, &found.file);
    if (result < 0) return (int)result;
    // The lock was lost with the closed descriptor.
    if (file->directory.fd < 0) epitaph_dump_file_lock(file->file.fd);
    return file->file.fd;
}

bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file) {
    struct stat status;
    int fd = epitaph_dump_file_descriptor(file);
    return fd < 0 || epitaph_sys_fstat(fd, &status) < 0 || status.st_nlink == 0;
}

bool epitaph_dump_file_is_emptied(const epitaph_dump_file *file) {
    uint8_t last = 0;
    uint64_t place = file->launch_record_bytes - 1;
    if (file->head != NULL) {
        epitaph_guarded_copy(&last, file->head + place, 1);
    } else {
        epitaph_sys_pread(file->file.fd, &last, 1, place);
    }
    return last != EPITAPH_COMMAND_MAP_END;
}

bool epitaph_dump_file_take(epitaph_dump_file *file) {
    uint32_t present = __atomic_load_n(&file->state, __ATOMIC_ACQUIRE);
    while (present == EPITAPH_FILE_ARMED || present == EPITAPH_FILE_MARKED) {
        if (__atomic_compare_exchange_n(&file->state, &present, EPITAPH_FILE_TAKEN, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return true;
        }
    }
    return false;
}

void epitaph_dump_file_close(epitaph_dump_file *file) {
    __atomic_store_n(&file->state, EPITAPH_FILE_CLOSED, __ATOMIC_RELEASE);
    epitaph_head_unmap(file);
    epitaph_owned_file_close(&file->file);
    epitaph_owned_file_close(&file->directory);
}

long epitaph_dump_file_seal(epitaph_dump_file *file) {
    char sealed_name[EPITAPH_DUMP_NAME_SIZE];
    int directory = directory_of(file);
    long result = directory;
    if (!epitaph_dump_name_seal(sealed_name, file->locked_name)) return -EINVAL;
    if (directory >= 0) {
        result = epitaph_sys_renameat(directory, file->locked_name, directory, sealed_name);
    }
    epitaph_dump_file_close(file);
    return result;
}

void epitaph_dump_file_discard(epitaph_dump_file *file) {
    // Nothing is on disk, or another file has the name.
    if (file->file.fd < 0 || epitaph_dump_file_descriptor(file) < 0) return;
    int directory = directory_of(file);
    if (directory >= 0) epitaph_sys_unlinkat(directory, file->locked_name);
    epitaph_dump_file_close(file);
}
