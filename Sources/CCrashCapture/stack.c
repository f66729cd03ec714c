// SPDX-License-Identifier: Apache-2.0

#include "thread_parts.h"

enum {
    /// A stack pointer in a guard page or just below a stack that overflowed belongs to the mapping
    /// above it.
    GUARD_REACH = 1 << 20,
    /// Without a map of the address space a stack is followed this far.
    BLIND_STACK_SIZE = 1 << 16,
    /// The outermost part of a stack that is longer than its limit: where the thread began.
    OUTERMOST_BYTES = 32 << 10,
};

typedef struct range {
    uint64_t start;
    uint64_t end;
} range;

/// From the red zone below `stack_pointer` up to the end of the stack: the thread's control block
/// for threads libc made (static thread-local storage lies below it), the arguments for the main
/// thread, the mapping's end otherwise.
static range stack_range(const epitaph_capture *capture, uint64_t stack_pointer,
                         uint64_t thread_data_address) {
    range none;
    none.start = 0;
    none.end = 0;
    uint64_t start = stack_pointer - epitaph_red_zone_bytes;
    if (start > stack_pointer) return none;
    uint64_t end;
    if (capture->mappings.count == 0) {
        end = stack_pointer + BLIND_STACK_SIZE;
    } else {
        const epitaph_mapping *mapping =
            epitaph_mappings_find_readable_from(&capture->mappings, stack_pointer);
        if (mapping == NULL) return none;
        if (mapping->start > stack_pointer && mapping->start - stack_pointer > GUARD_REACH) {
            return none;
        }
        if (mapping->start > start) start = mapping->start;
        end = mapping->end;
    }
    uint64_t main_end = epitaph_capture_settings_now.facts.main_stack_end;
    if (thread_data_address > start && thread_data_address < end) end = thread_data_address;
    if (main_end > start && main_end < end) end = main_end;
    if (end < start) return none;
    range found;
    found.start = start;
    found.end = end;
    return found;
}

uint64_t epitaph_stack_write(epitaph_capture *capture, uint64_t stack_pointer,
                             uint64_t thread_data_address, uint64_t limit, uint64_t tid) {
    if (limit > capture->stack_bytes_left) limit = capture->stack_bytes_left;
    range stack = stack_range(capture, stack_pointer, thread_data_address);
    if (stack.end - stack.start > limit) stack.end = stack.start + limit;
    if (stack.start == stack.end) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA,
                           limit == 0 ? EPITAPH_WHY_OVER_BUDGET : EPITAPH_WHY_UNREADABLE, 0, tid);
        return stack.end;
    }
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack.start);
    uint64_t written = epitaph_writer_memory(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA,
                                             stack.start, stack.end - stack.start);
    capture->stack_bytes_left -= written;
    if (written < stack.end - stack.start && capture->mappings.count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA, EPITAPH_WHY_UNREADABLE, 0, tid);
    }
    return stack.end;
}

void epitaph_stack_outermost_write(epitaph_capture *capture, uint64_t stack_pointer,
                                   uint64_t thread_data_address, uint64_t written_end) {
    range stack = stack_range(capture, stack_pointer, thread_data_address);
    // Without a map of the address space nobody knows where the stack ends.
    if (capture->mappings.count == 0 || stack.end <= written_end) return;
    uint64_t start = stack.end - stack.start > OUTERMOST_BYTES ? stack.end - OUTERMOST_BYTES : 0;
    if (start < written_end) start = written_end;
    uint64_t size = stack.end - start;
    if (size > capture->stack_bytes_left) return;
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, start);
    capture->stack_bytes_left -=
        epitaph_writer_memory(&capture->writer, EPITAPH_KEY_MEMORY_REGION_DATA, start, size);
    epitaph_writer_end(&capture->writer);
}
