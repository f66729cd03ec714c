// SPDX-License-Identifier: Apache-2.0

#include "thread_parts.h"

enum {
    /// A stack pointer in a guard page or just below a stack that overflowed belongs to the mapping
    /// above it.
    GUARD_REACH = 1 << 20,
    /// Without a map of the address space a stack is followed this far.
    BLIND_STACK_SIZE = 1 << 16,
};

/// From the red zone below `stack_pointer` up to the end of the stack: the thread's control block
/// for threads libc made (static thread-local storage lies below it), the arguments for the main
/// thread, the mapping's end otherwise.
static epitaph_range stack_range(const epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit) {
    epitaph_range none;
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
    if (end - start > limit) end = start + limit;
    epitaph_range found;
    found.start = start;
    found.end = end;
    return found;
}

epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit) {
    if (limit > capture->stack_bytes_left) limit = capture->stack_bytes_left;
    epitaph_range stack = stack_range(capture, stack_pointer, thread_data_address, limit);
    epitaph_mappings_note_stack(&capture->mappings, stack);
    return stack;
}

void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid) {
    if (stack.start == stack.end) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA,
                           capture->stack_bytes_left == 0 ? EPITAPH_WHY_OVER_BUDGET
                                                          : EPITAPH_WHY_UNREADABLE,
                           0, tid);
        return;
    }
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack.start);
    uint64_t written = epitaph_writer_memory(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA,
                                             stack.start, stack.end - stack.start);
    capture->stack_bytes_left -= written;
    if (written < stack.end - stack.start && capture->mappings.count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA, EPITAPH_WHY_UNREADABLE, 0, tid);
    }
}
