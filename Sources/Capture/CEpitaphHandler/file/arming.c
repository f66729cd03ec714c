// SPDX-License-Identifier: Apache-2.0
//
// Makes dump files, armed for a crash or for writing at once.

#include "file/armed_file.h"

#include "epitaph_file.h"
#include "epitaph_file_owner.h"
#include "epitaph_settings.h"
#include "file/writer.h"
#include "system/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

enum {
    CREATE_ATTEMPTS = 4,
    LEAST_RESERVED_BYTES = 4096,
    COMMAND_AND_KEY_BYTES = 3,
};

/// Shared with a forked child: no gap between the parent's end and the child's first call.
static void take_heirs_lock(int fd) {
    struct flock lock;
    epitaph_bytes_zero(&lock, sizeof lock);
    lock.l_type = F_RDLCK;
    lock.l_start = epitaph_owners_part_bytes;
    lock.l_len = 1;
    epitaph_sys_fcntl_shared_lock(fd, &lock);
}

static long open_new(epitaph_dump_file *file) {
    long result = -EEXIST;
    for (int attempt = 0; attempt < CREATE_ATTEMPTS && result == -EEXIST; attempt++) {
        result = epitaph_uuid_make(file->uuid);
        if (result < 0) return result;
        epitaph_dump_name_make(file->locked_name, file->uuid);
        result = epitaph_dump_file_open_locked(file, O_CREAT | O_EXCL);
    }
    return result;
}

static long open_chosen(epitaph_dump_file *file, const uint8_t uuid[16]) {
    epitaph_bytes_copy(file->uuid, uuid, sizeof file->uuid);
    epitaph_dump_name_make(file->locked_name, uuid);
    return epitaph_dump_file_open_locked(file, O_CREAT | O_EXCL);
}

/// Reserves blocks, or as many as there are, against a disk full at the crash, where possible.
static void reserve_blocks(const epitaph_dump_file *file) {
    uint64_t count = epitaph_capture_settings_now.limits.reserved_bytes;
    // A server may have hundreds of children, and their reservations would be missing elsewhere.
    if (epitaph_dump_uuid_is_handed_out(file->uuid) || count <= file->head_bytes) return;
    count -= file->head_bytes;
    while (count >= LEAST_RESERVED_BYTES &&
           epitaph_sys_fallocate(file->file.fd, FALLOC_FL_KEEP_SIZE, file->head_bytes, count) ==
               -ENOSPC) {
        count = count / 4 * 3;
    }
}

bool epitaph_dump_file_empty(epitaph_dump_file *file) {
    int fd = epitaph_dump_file_descriptor(file);
    uint64_t kept = file->head_bytes != 0 ? file->head_bytes : file->launch_record_bytes;
    if (fd < 0 || epitaph_sys_ftruncate(fd, kept) < 0) return false;
    reserve_blocks(file);
    return true;
}

static epitaph_writer *launch_writer;

void epitaph_launch_writer_set(epitaph_writer *writer) {
    launch_writer = writer;
}

static long write_launch_record(epitaph_dump_file *file) {
    epitaph_writer *writer = launch_writer;
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
    file->is_inherited = false;
}

static long create(epitaph_dump_file *file, bool has_head, const uint8_t *uuid) {
    begin(file);
    long result = uuid == NULL ? open_new(file) : open_chosen(file, uuid);
    if (result < 0) return result;
    epitaph_dump_file_lock(file->file.fd);
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
    // Later files of a forked child are no launches either.
    long result = epitaph_dump_uuid_make_handed_out(uuid);
    return result < 0 ? result : arm(uuid);
}

long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]) {
    return arm(uuid);
}

long epitaph_dump_file_create_spare(epitaph_dump_file *file) {
    uint8_t uuid[16];
    begin(file);
    long result = epitaph_dump_uuid_make_handed_out(uuid);
    if (result == 0) result = open_chosen(file, uuid);
    if (result < 0) return result;
    take_heirs_lock(file->file.fd);
    return write_launch_record(file);
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
    if (result == 0) result = epitaph_dump_file_open_locked(file, O_CREAT | O_EXCL);
    if (result == 0) return write_launch_record(file);
    epitaph_owned_file_close(&file->directory);
    return result;
}

void epitaph_dump_file_bequeath(const epitaph_dump_file *file) {
    if (epitaph_owned_file_prove(&file->file)) take_heirs_lock(file->file.fd);
}

long epitaph_dump_file_begin_again(epitaph_dump_file *file) {
    long result = epitaph_sys_ftruncate(file->file.fd, 0);
    file->head = NULL;
    file->head_bytes = 0;
    return result < 0 ? result : write_launch_record(file);
}

/// Whether nothing but an end mark follows the launch record.
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
    int key = next[1] | next[2] << 8;
    bool is_mark = key == EPITAPH_KEY_CLEAN_EXIT || key == EPITAPH_KEY_END_SIGNAL;
    return next[0] == 0 || (next[0] == EPITAPH_COMMAND_PROPERTY && is_mark);
}

long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents) {
    epitaph_bytes_copy(file, parents, sizeof *file);
    if (!epitaph_owned_file_prove(&file->file) || !has_launch_alone(file)) return -EBUSY;
    // The owner is alive, or another heir was quicker.
    if (epitaph_dump_file_lock(file->file.fd) < 0 || !has_launch_alone(file)) return -EBUSY;
    file->owner_pid = epitaph_sys_getpid();
    file->is_inherited = true;
    return epitaph_dump_file_begin_again(file);
}
