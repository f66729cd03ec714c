// SPDX-License-Identifier: Apache-2.0
//
// A dump file's life: `<bundle-id>@<uuid>.locked` while its owner lives or writes, the same without
// `.locked` when the dump is done.

#include "capture.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>

enum { UUID_BYTES = 16, CREATE_ATTEMPTS = 4, LEAST_RESERVED_BYTES = 4096 };

static const char locked_suffix[] = ".locked";

/// For a machine that has just begun: a name no other file has. Files are made with O_EXCL, so it
/// need not be a secret.
static void make_without_chance(uint8_t uuid[UUID_BYTES]) {
    static uint32_t count;
    struct {
        uint64_t time_ns;
        uint32_t uptime_ns;
        uint32_t process;
    } parts;
    _Static_assert(sizeof parts == UUID_BYTES, "the parts are a UUID");
    uint32_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELEASE);
    parts.time_ns = epitaph_sys_clock_ns(CLOCK_REALTIME);
    parts.uptime_ns = (uint32_t)epitaph_sys_clock_ns(CLOCK_MONOTONIC) + number;
    parts.process = (uint32_t)epitaph_sys_getpid();
    epitaph_bytes_copy(uuid, &parts, UUID_BYTES);
}

long epitaph_uuid_make(uint8_t uuid[16]) {
    long got = epitaph_sys_getrandom(uuid, UUID_BYTES);
    if (got == -EAGAIN) {
        make_without_chance(uuid);
    } else if (got != UUID_BYTES) {
        return got < 0 ? got : -1;
    }
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
    return 0;
}

static void append_uuid(char *name, size_t *length, const uint8_t uuid[UUID_BYTES]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) name[(*length)++] = '-';
        name[(*length)++] = digits[uuid[i] >> 4];
        name[(*length)++] = digits[uuid[i] & 15];
    }
    name[*length] = 0;
}

static void make_name(epitaph_dump_file *file) {
    size_t length = 0;
    epitaph_text_append(file->locked_name, EPITAPH_BUNDLE_ID_SIZE, &length,
                        epitaph_capture_settings_now.bundle_id);
    epitaph_text_append(file->locked_name, EPITAPH_DUMP_NAME_SIZE, &length, "@");
    append_uuid(file->locked_name, &length, file->uuid);
    epitaph_text_append(file->locked_name, EPITAPH_DUMP_NAME_SIZE, &length, locked_suffix);
}

/// The lock tells sweepers that the owner lives. It is a POSIX record lock because those die with
/// the process, work across pid namespaces and are not inherited by fork(2). Where the file system
/// has no locks the launch record decides.
static void take_lock(int fd) {
    struct flock lock;
    epitaph_bytes_zero(&lock, sizeof lock);
    lock.l_type = F_WRLCK;
    epitaph_sys_fcntl_lock(fd, &lock);
}

static long open_new(epitaph_dump_file *file) {
    long fd = -1;
    file->directory_fd = epitaph_capture_settings_now.directory_fd;
    for (int attempt = 0; attempt < CREATE_ATTEMPTS; attempt++) {
        long made = epitaph_uuid_make(file->uuid);
        if (made < 0) return made;
        make_name(file);
        fd = epitaph_sys_openat(file->directory_fd, file->locked_name,
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0) break;
    }
    return fd;
}

/// Blocks for the dump, so that a disk that is full at the crash does not lose it; on a disk that
/// is too small for them, as many as it has. Not every file system can.
static void reserve_blocks(int fd) {
    uint64_t count = epitaph_capture_settings_now.limits.reserved_bytes;
    while (count >= LEAST_RESERVED_BYTES &&
           epitaph_sys_fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, count) == -ENOSPC) {
        count = count / 4 * 3;
    }
}

static long write_launch_record(epitaph_dump_file *file) {
    epitaph_writer *writer = &epitaph_capture_now->writer;
    epitaph_writer_begin(writer, file->fd, 0);
    epitaph_launch_record_write(writer, file);
    epitaph_writer_flush(writer);
    file->launch_record_bytes = writer->flushed_bytes;
    if (writer->error != 0) {
        epitaph_dump_file_discard(file);
        return -writer->error;
    }
    return 0;
}

long epitaph_dump_file_create(epitaph_dump_file *file) {
    long fd = open_new(file);
    if (fd < 0) return fd;
    file->fd = (int)fd;
    file->owner_pid = epitaph_sys_getpid();
    take_lock(file->fd);
    reserve_blocks(file->fd);
    return write_launch_record(file);
}

long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name) {
    size_t length = 0;
    long made = epitaph_uuid_make(file->uuid);
    if (made < 0) return made;
    epitaph_text_append(file->locked_name, EPITAPH_DUMP_NAME_SIZE, &length, name);
    file->directory_fd = directory;
    file->owner_pid = epitaph_sys_getpid();
    long fd = epitaph_sys_openat(directory, file->locked_name,
                                 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fd;
    file->fd = (int)fd;
    return write_launch_record(file);
}

long epitaph_dump_file_seal(epitaph_dump_file *file) {
    int directory = file->directory_fd;
    char sealed_name[EPITAPH_DUMP_NAME_SIZE];
    size_t length = epitaph_text_length(file->locked_name, EPITAPH_DUMP_NAME_SIZE);
    if (file->fd < 0 || length < sizeof locked_suffix) return -1;
    epitaph_bytes_copy(sealed_name, file->locked_name, length);
    sealed_name[length - (sizeof locked_suffix - 1)] = 0;
    long result = epitaph_sys_renameat(directory, file->locked_name, directory, sealed_name);
    epitaph_sys_close(file->fd);
    file->fd = -1;
    return result;
}

void epitaph_dump_file_discard(epitaph_dump_file *file) {
    if (file->fd < 0) return;
    epitaph_sys_unlinkat(file->directory_fd, file->locked_name);
    epitaph_sys_close(file->fd);
    file->fd = -1;
}
