// SPDX-License-Identifier: Apache-2.0
//
// Whether a thread that exists at the start can be sent the signal with which it is offered an
// alternate stack. It lands on the thread's own stack, since the alternate one that the thread may
// have is not known and can be too small.

#include "threads/existing_rooms.h"

#include "base/base.h"
#include "epitaph_settings.h"
#include "facts/facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /// What our handler needs besides the kernel's frame, and the red zone below the stack pointer.
    HANDLER_BYTES = 2048 + 128,
    PAGE_LIMIT = 64,
    TEXT_SIZE = 256,
};

struct epitaph_writable_ranges {
    size_t count;
    size_t room;
    epitaph_writable_range *entries;
};

static bool add(epitaph_writable_ranges *ranges, epitaph_writable_range range) {
    if (ranges->count == ranges->room) {
        size_t room = ranges->room == 0 ? 256 : 2 * ranges->room;
        void *grown = epitaph_own_memory_resize(ranges->entries, room * sizeof *ranges->entries);
        if (grown == NULL) return false;
        ranges->entries = grown;
        ranges->room = room;
    }
    ranges->entries[ranges->count++] = range;
    return true;
}

epitaph_writable_ranges *epitaph_writable_ranges_read(void) {
    epitaph_writable_ranges *ranges = epitaph_own_memory_resize(NULL, sizeof *ranges);
    epitaph_line_reader maps = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    uint64_t last_readable_end = 0;
    const char *line;
    while (ranges != NULL && (line = epitaph_line_next(&maps)) != NULL) {
        epitaph_writable_range range;
        char rights[8];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &range.start, &range.end, rights) != 3)
            continue;
        range.has_neighbour_below = last_readable_end == range.start;
        range.grows = strstr(line, "[stack]") != NULL;
        if (rights[0] == 'r') last_readable_end = range.end;
        if (strncmp(rights, "rw", 2) == 0 && !add(ranges, range)) break;
    }
    if (maps.fd >= 0) close(maps.fd);
    return ranges;
}

void epitaph_writable_ranges_free(epitaph_writable_ranges *ranges) {
    if (ranges != NULL) epitaph_own_memory_free(ranges->entries);
    epitaph_own_memory_free(ranges);
}

static const epitaph_writable_range *find(const epitaph_writable_ranges *ranges, uint64_t address) {
    for (size_t i = 0; ranges != NULL && i < ranges->count; i++) {
        const epitaph_writable_range *range = &ranges->entries[i];
        if (address >= range->start && address < range->end) return range;
    }
    return NULL;
}

/// Where glibc has the thread's descriptor, at the far end of its stack; 0 if the thread is not
/// glibc's.
static uint64_t find_descriptor(long tid) {
    void *head = NULL;
    size_t size = 0;
    return syscall(SYS_get_robust_list, tid, &head, &size) == 0 ? (uint64_t)head : 0;
}

/// Whether none of the stack's last bytes was ever used, or is in memory now.
static bool is_untouched(uint64_t start, size_t count) {
    unsigned char pages[PAGE_LIMIT];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t page_count = (count + page - 1) / page;
    if (page_count > PAGE_LIMIT) return false;
    // The address is a number of the kernel's.
    if (mincore((void *)(uintptr_t)start, count, pages) != 0) return false;
    for (size_t i = 0; i < page_count; i++) {
        if ((pages[i] & 1) != 0) return false;
    }
    return true;
}

static bool has_room(long tid, const epitaph_writable_ranges *ranges, bool is_asleep,
                     uint64_t stack_pointer) {
    size_t needed = epitaph_signal_frame_bytes() + HANDLER_BYTES;
    uint64_t descriptor = find_descriptor(tid);
    const epitaph_writable_range *range = find(ranges, is_asleep ? stack_pointer : descriptor);
    // The first thread's stack grows by itself; its descriptor is elsewhere.
    if (tid == getpid() && (!is_asleep || (range != NULL && range->grows))) return true;
    if (range == NULL || range->has_neighbour_below) return false;
#ifdef __GLIBC__
    if (descriptor < range->start || descriptor >= range->end) return false;
#endif
    return is_asleep ? stack_pointer - range->start >= needed : is_untouched(range->start, needed);
}

/// The last but one word of "number a b c d e f SP PC", proc(5); 0 if it is not there.
static uint64_t stack_pointer_in(const char *text) {
    const char *last = strrchr(text, ' ');
    if (last == NULL) return 0;
    while (last > text && last[-1] != ' ')
        last--;
    return strtoull(last, NULL, 16);
}

// A thread in sigtimedwait(2) would take the signal out of its queue, and no handler would run:
// meanwhile it is not among those that it blocks (kernel/signal.c, do_sigtimedwait).
bool epitaph_existing_thread_can_answer(long tid, const epitaph_writable_ranges *ranges) {
    char path[64];
    char text[TEXT_SIZE];
    snprintf(path, sizeof path, "/proc/self/task/%ld/syscall", tid);
    if (epitaph_proc_file_read(path, text, sizeof text) == 0)
        return has_room(tid, ranges, false, 0);
    if (text[0] == 'r') return has_room(tid, ranges, false, 0);
    if (text[0] != '-' && strtol(text, NULL, 10) == SYS_rt_sigtimedwait) return false;
    return has_room(tid, ranges, true, stack_pointer_in(text));
}
