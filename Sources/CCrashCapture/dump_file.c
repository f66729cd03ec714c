// SPDX-License-Identifier: Apache-2.0
//
// A dump file's life: `<bundle-id>@<uuid>.locked` while its owner lives or writes, the same without
// `.locked` when the dump is done.

#include "capture.h"

#include "bytes.h"
#include "epitaph_file_owner.h"
#include "head.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

enum {
    CREATE_ATTEMPTS = 4,
    LEAST_RESERVED_BYTES = 4096,
    COMMAND_AND_KEY_BYTES = 3,
};

/// The lock tells sweepers that the owner lives. It is a POSIX record lock because those die with
/// the process, work across pid namespaces and are not inherited by fork(2). Where the file system
/// has no locks the launch record decides.
///
/// Behind the owner's part of the file, which is far longer than any file, there is room for locks
/// of children that may inherit it. Whoever asks asks for the whole.
static long take_lock(int fd) {
    struct flock lock;
    epitaph_bytes_zero(&lock, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_len = epitaph_owners_part_bytes;
    return epitaph_sys_fcntl_lock(fd, &lock);
}

/// A lock of the open file, which a forked child shares: there is no moment without one between the
/// end of the parent and the child's first call.
static void take_heirs_lock(int fd) {
    struct flock lock;
    epitaph_bytes_zero(&lock, sizeof lock);
    lock.l_type = F_RDLCK;
    lock.l_start = epitaph_owners_part_bytes;
    lock.l_len = 1;
    epitaph_sys_fcntl_shared_lock(fd, &lock);
}

/// The directory the file's name is in: a proven descriptor or a negative errno.
static int directory_of(epitaph_dump_file *file) {
    if (file->directory.fd < 0) return epitaph_pending_directory();
    return epitaph_owned_file_prove(&file->directory) ? file->directory.fd : -EBADF;
}

/// The file under its locked name, made if `flags` say so; adopted.
static long open_locked(epitaph_dump_file *file, int flags) {
    int directory = directory_of(file);
    if (directory < 0) return directory;
    long fd = epitaph_sys_openat(directory, file->locked_name,
                                 O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
    if (fd < 0) return fd;
    // A file of the caller's is the caller's.
    if ((flags & O_CREAT) != 0 && file->directory.fd < 0) epitaph_pending_give_to_owner((int)fd);
    return epitaph_owned_file_adopt(&file->file, (int)fd);
}

static long open_new(epitaph_dump_file *file) {
    long result = -EEXIST;
    for (int attempt = 0; attempt < CREATE_ATTEMPTS && result == -EEXIST; attempt++) {
        result = epitaph_uuid_make(file->uuid);
        if (result < 0) return result;
        epitaph_dump_name_make(file->locked_name, file->uuid);
        result = open_locked(file, O_CREAT | O_EXCL);
    }
    return result;
}

/// With an id that somebody else has chosen, and remembers.
static long open_chosen(epitaph_dump_file *file, const uint8_t uuid[16]) {
    epitaph_bytes_copy(file->uuid, uuid, sizeof file->uuid);
    epitaph_dump_name_make(file->locked_name, uuid);
    return open_locked(file, O_CREAT | O_EXCL);
}

/// Blocks for the dump, so that a disk that is full at the crash does not lose it; on a disk that
/// is too small for them, as many as it has. Not every file system can.
static void reserve_blocks(const epitaph_dump_file *file) {
    uint64_t count = epitaph_capture_settings_now.limits.reserved_bytes;
    // A server may have hundreds of children; what they set aside would be missing elsewhere.
    if (epitaph_dump_uuid_is_handed_out(file->uuid) || count <= file->head_bytes) return;
    count -= file->head_bytes;
    while (count >= LEAST_RESERVED_BYTES &&
           epitaph_sys_fallocate(file->file.fd, FALLOC_FL_KEEP_SIZE, file->head_bytes, count) ==
               -ENOSPC) {
        count = count / 4 * 3;
    }
}

static long write_launch_record(epitaph_dump_file *file) {
    epitaph_writer *writer = &epitaph_capture_now->writer;
    epitaph_writer_begin(writer, file, 0);
    epitaph_launch_record_write(writer, file);
    epitaph_writer_flush(writer);
    file->launch_record_bytes = writer->flushed_bytes;
    if (writer->error != 0) {
        epitaph_dump_file_discard(file);
        return -writer->error;
    }
    __atomic_store_n(&file->state, EPITAPH_FILE_ARMED, __ATOMIC_RELEASE);
    return 0;
}

static void begin(epitaph_dump_file *file) {
    file->file.fd = -1;
    file->directory.fd = -1;
    file->owner_pid = epitaph_sys_getpid();
    file->head = NULL;
    file->head_bytes = 0;
}

static long create(epitaph_dump_file *file, bool has_head, const uint8_t *uuid) {
    begin(file);
    long result = uuid == NULL ? open_new(file) : open_chosen(file, uuid);
    if (result < 0) return result;
    take_lock(file->file.fd);
    if (has_head) epitaph_head_make(file);
    reserve_blocks(file);
    return write_launch_record(file);
}

static long arm(const uint8_t *uuid) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    long result = create(&settings->dump_file, true, uuid);
    if (result < 0) return result;
    uint32_t next = settings->armed_count + 1;
    epitaph_bytes_copy(settings->armed_names[next % EPITAPH_ARMED_NAME_COUNT],
                       settings->dump_file.locked_name, EPITAPH_DUMP_NAME_SIZE);
    __atomic_store_n(&settings->armed_count, next, __ATOMIC_RELEASE);
    return result;
}

long epitaph_dump_file_arm(void) {
    uint8_t uuid[16];
    if (!epitaph_capture_settings_now.is_handed_out) return arm(NULL);
    // Nor is what a forked child arms next a launch.
    long result = epitaph_dump_uuid_make_handed_out(uuid);
    return result < 0 ? result : arm(uuid);
}

long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]) {
    return arm(uuid);
}

long epitaph_dump_file_create_headless(epitaph_dump_file *file) {
    return create(file, false, NULL);
}

long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name) {
    size_t length = 0;
    begin(file);
    long result = epitaph_uuid_make(file->uuid);
    if (result < 0) return result;
    epitaph_text_append(file->locked_name, EPITAPH_DUMP_NAME_SIZE, &length, name);
    long own = epitaph_sys_dup_from(directory, 0);
    if (own < 0) return own;
    result = epitaph_owned_file_adopt(&file->directory, (int)own);
    if (result == 0) result = open_locked(file, O_CREAT | O_EXCL);
    if (result == 0) return write_launch_record(file);
    epitaph_owned_file_close(&file->directory);
    return result;
}

void epitaph_dump_file_bequeath(const epitaph_dump_file *file) {
    if (epitaph_owned_file_prove(&file->file)) take_heirs_lock(file->file.fd);
}

/// Whether there is nothing behind the launch record but, at most, the mark of a clean end.
static bool has_launch_alone(const epitaph_dump_file *file) {
    struct stat status;
    uint8_t next[COMMAND_AND_KEY_BYTES];
    uint64_t armed_bytes = file->head_bytes != 0 ? file->head_bytes : file->launch_record_bytes;
    if (epitaph_sys_fstat(file->file.fd, &status) < 0 || status.st_nlink == 0) return false;
    if ((uint64_t)status.st_size != armed_bytes) return false;
    if (armed_bytes == file->launch_record_bytes) return true;
    if (epitaph_sys_pread(file->file.fd, next, sizeof next, file->launch_record_bytes) !=
        sizeof next) {
        return false;
    }
    return next[0] == 0 || (next[0] == EPITAPH_COMMAND_PROPERTY &&
                            (next[1] | next[2] << 8) == EPITAPH_KEY_CLEAN_EXIT);
}

long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents) {
    epitaph_bytes_copy(file, parents, sizeof *file);
    // The owner lives, or another heir was quicker.
    if (!epitaph_owned_file_prove(&file->file) || take_lock(file->file.fd) < 0) return -EBUSY;
    if (!has_launch_alone(file)) return -EBUSY;
    long result = epitaph_sys_ftruncate(file->file.fd, 0);
    file->owner_pid = epitaph_sys_getpid();
    file->head = NULL;
    file->head_bytes = 0;
    return result < 0 ? result : write_launch_record(file);
}

int epitaph_dump_file_descriptor(epitaph_dump_file *file) {
    if (epitaph_owned_file_prove(&file->file)) return file->file.fd;
    epitaph_dump_file found;
    epitaph_bytes_copy(&found, file, sizeof found);
    long result = open_locked(&found, 0);
    if (result < 0) return (int)result;
    // Another file may have been put there.
    if (!epitaph_owned_file_equals(&found.file, &file->file)) {
        epitaph_sys_close(found.file.fd);
        return -ENOENT;
    }
    file->file.fd = found.file.fd;
    // It went with the descriptor that was closed.
    if (file->directory.fd < 0) take_lock(file->file.fd);
    return file->file.fd;
}

bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file) {
    struct stat status;
    int fd = epitaph_dump_file_descriptor(file);
    return fd < 0 || epitaph_sys_fstat(fd, &status) < 0 || status.st_nlink == 0;
}

bool epitaph_dump_file_take(epitaph_dump_file *file) {
    uint32_t present = __atomic_load_n(&file->state, __ATOMIC_ACQUIRE);
    while (present == EPITAPH_FILE_ARMED || present == EPITAPH_FILE_MARKED ||
           present == EPITAPH_FILE_STORED) {
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
    // Nothing of it is on disk, or it is somebody else's by now.
    if (file->file.fd < 0 || epitaph_dump_file_descriptor(file) < 0) return;
    int directory = directory_of(file);
    if (directory >= 0) epitaph_sys_unlinkat(directory, file->locked_name);
    epitaph_dump_file_close(file);
}
