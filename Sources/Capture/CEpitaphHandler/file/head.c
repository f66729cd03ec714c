// SPDX-License-Identifier: Apache-2.0
//
// Makes, maps and clears the head of a dump file, and stores into it.

#include "file/armed_file.h"

#include "epitaph_file.h"
#include "epitaph_process.h"
#include "memory/memory.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

enum {
    PAGE_BYTES = 4096,
    /// Usual size of a first record.
    USUAL_BYTES = 3 * PAGE_BYTES,
};

/// File systems that write blocks in place. Copy-on-write ones (btrfs, ZFS) need a new block per
/// store after each writeback and raise SIGBUS without one; network file systems may do so, too.
bool epitaph_file_stores_in_place(int fd) {
    struct statfs status;
    if (epitaph_sys_fstatfs(fd, &status) < 0) return false;
    switch ((unsigned long)status.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC: return true;
    default: return false;
    }
}

/// One of many children gets a hole for a head: on ext4 most such files are gone before they have a
/// block. Only the handler stores into it, and survives the fault on a full disk.
static long extend(const epitaph_dump_file *file) {
    if (epitaph_dump_uuid_is_handed_out(file->uuid)) {
        return epitaph_sys_ftruncate(file->file.fd, EPITAPH_HEAD_BYTES);
    }
    return epitaph_sys_fallocate(file->file.fd, 0, 0, EPITAPH_HEAD_BYTES);
}

void epitaph_head_make(epitaph_dump_file *file) {
    file->head = NULL;
    file->head_bytes = 0;
    if (!epitaph_file_stores_in_place(file->file.fd)) return;
    if (extend(file) < 0) return;
    long address = epitaph_sys_map_shared(file->file.fd, EPITAPH_HEAD_BYTES);
    if (address < 0 && address > -4096) {
        epitaph_sys_ftruncate(file->file.fd, 0);
        return;
    }
    file->head = (uint8_t *)address;
    file->head_bytes = EPITAPH_HEAD_BYTES;
}

// A forked child does not have our mapping there, but perhaps one of the program's.
void epitaph_head_unmap(epitaph_dump_file *file) {
    if (file->head != NULL && epitaph_process_is_owner()) {
        epitaph_sys_unmap(file->head, file->head_bytes);
    }
    file->head = NULL;
}

long epitaph_head_put(epitaph_dump_file *file, const void *bytes, size_t count, uint64_t offset) {
    if (file->head == NULL || offset >= file->head_bytes) return -ENOSPC;
    uint64_t room = file->head_bytes - offset;
    size_t copied = epitaph_guarded_copy(file->head + offset, bytes, count < room ? count : room);
    return copied > 0 ? (long)copied : -EFAULT;
}

typedef struct cleared_range {
    uint8_t *start;
    size_t count;
} cleared_range;

static void clear(void *argument) {
    const cleared_range *range = argument;
    // The first byte first: from then on nothing counts.
    __atomic_store_n(range->start, 0, __ATOMIC_RELEASE);
    epitaph_bytes_zero(range->start, range->count);
}

void epitaph_head_clear_to(epitaph_dump_file *file, uint64_t end) {
    if (file->head == NULL || end <= file->launch_record_bytes) return;
    cleared_range range = {file->head + file->launch_record_bytes,
                           (size_t)(end - file->launch_record_bytes)};
    epitaph_guard_run(clear, &range);
}

void epitaph_head_clear(epitaph_dump_file *file) {
    epitaph_head_clear_to(file, file->head_bytes);
}

typedef struct reached_head {
    volatile uint8_t *next;
    const uint8_t *end;
} reached_head;

static void reach(void *argument) {
    reached_head *head = argument;
    while (head->next < head->end) {
        // One fault for a page; a load and a store would be two.
        uint64_t present = 0;
        uint64_t *word = (uint64_t *)((uintptr_t)head->next & ~7ull);
        __atomic_compare_exchange_n(word, &present, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        head->next += PAGE_BYTES - (uint64_t)head->next % PAGE_BYTES;
    }
}

uint8_t *epitaph_head_reach(const epitaph_dump_file *file) {
    bool is_hole = epitaph_dump_uuid_is_handed_out(file->uuid);
    uint32_t count = is_hole || file->head_bytes < USUAL_BYTES ? file->head_bytes : USUAL_BYTES;
    reached_head head = {file->head + file->launch_record_bytes, file->head + count};
    if (epitaph_guard_run(reach, &head)) return file->head + file->head_bytes;
    return (uint8_t *)head.next;
}
