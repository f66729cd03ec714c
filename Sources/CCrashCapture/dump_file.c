// SPDX-License-Identifier: Apache-2.0
//
// A dump file's life: `<bundle-id>@<uuid>.locked` while its owner lives or writes, the same without
// `.locked` when the dump is done.

#include "capture.h"

#include "bytes.h"
#include "head.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

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
                                 O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    return fd < 0 ? fd : epitaph_owned_file_adopt(&file->file, (int)fd);
}

static long open_new(epitaph_dump_file *file) {
    long result = -EEXIST;
    for (int attempt = 0; attempt < CREATE_ATTEMPTS && result == -EEXIST; attempt++) {
        result = epitaph_uuid_make(file->uuid);
        if (result < 0) return result;
        make_name(file);
        result = open_locked(file, O_CREAT | O_EXCL);
    }
    return result;
}

/// Blocks for the dump, so that a disk that is full at the crash does not lose it; on a disk that
/// is too small for them, as many as it has. Not every file system can.
static void reserve_blocks(const epitaph_dump_file *file) {
    uint64_t count = epitaph_capture_settings_now.limits.reserved_bytes;
    if (count <= file->head_bytes) return;
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

static long create(epitaph_dump_file *file, bool has_head) {
    begin(file);
    long result = open_new(file);
    if (result < 0) return result;
    take_lock(file->file.fd);
    if (has_head) epitaph_head_make(file);
    reserve_blocks(file);
    return write_launch_record(file);
}

long epitaph_dump_file_create(epitaph_dump_file *file) {
    return create(file, true);
}

long epitaph_dump_file_arm(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    long result = epitaph_dump_file_create(&settings->dump_file);
    if (result < 0) return result;
    uint32_t next = settings->armed_count + 1;
    epitaph_bytes_copy(settings->armed_names[next % EPITAPH_ARMED_NAME_COUNT],
                       settings->dump_file.locked_name, EPITAPH_DUMP_NAME_SIZE);
    __atomic_store_n(&settings->armed_count, next, __ATOMIC_RELEASE);
    return result;
}

long epitaph_dump_file_create_headless(epitaph_dump_file *file) {
    return create(file, false);
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
    size_t length = epitaph_text_length(file->locked_name, EPITAPH_DUMP_NAME_SIZE);
    int directory = directory_of(file);
    long result = directory;
    if (length < sizeof locked_suffix) return -EINVAL;
    epitaph_bytes_copy(sealed_name, file->locked_name, length);
    sealed_name[length - (sizeof locked_suffix - 1)] = 0;
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
