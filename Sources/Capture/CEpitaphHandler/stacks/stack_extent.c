// SPDX-License-Identifier: Apache-2.0
//
// Where a thread's stack is: from the red zone below its stack pointer up to its start.

#include "prepared/emergency_stack.h"
#include "stacks/stacks.h"

enum {
    /// Stack size to assume without a memory map.
    BLIND_STACK_SIZE = 1 << 16,
    /// The largest local array that is searched above for the rest of the stack.
    LARGEST_FRAME = 1 << 30,
};

/// The stack that the kernel or libc made for the thread, from its first page in use: the frames
/// below a local array that did not fit into it are there. Empty unless the pointer is below it.
static epitaph_range find_own(const epitaph_capture *capture, uint64_t stack_pointer,
                              uint64_t thread_data_address) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_range own;
    own.start = 0;
    own.end = 0;
    if (thread_data_address == 0) return own;
    bool is_main = thread_data_address == facts->main_thread_pointer;
    uint64_t end = is_main ? facts->main_stack_end : thread_data_address;
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, end - 1);
    if (mapping == NULL || !mapping->is_readable || mapping->start <= stack_pointer ||
        mapping->start - stack_pointer > LARGEST_FRAME) {
        return own;
    }
    own.start = mapping->start;
    own.end = end;
    while (own.start < end && epitaph_residency_is_absent(own.start))
        own.start += facts->page_size;
    if (own.start > end) own.start = end;
    return own;
}

/// A stack ends at the thread's control block if libc made the thread (static thread-local storage
/// is below it), at the arguments for the main thread, below other memory of ours for the emergency
/// stack, otherwise at the end of the mapping.
epitaph_stack_extent epitaph_stack_extent_find(const epitaph_capture *capture,
                                               uint64_t stack_pointer,
                                               uint64_t thread_data_address) {
    epitaph_stack_extent found;
    epitaph_bytes_zero(&found, sizeof found);
    stack_pointer = epitaph_pointer_address(stack_pointer);
    uint64_t start = stack_pointer - epitaph_red_zone_bytes;
    if (start > stack_pointer) return found;
    uint64_t end;
    if (capture->mappings.count == 0) {
        end = stack_pointer + BLIND_STACK_SIZE;
    } else {
        const epitaph_mapping *mapping =
            epitaph_mappings_find_readable_from(&capture->mappings, stack_pointer);
        if (mapping == NULL || (mapping->start > stack_pointer &&
                                mapping->start - stack_pointer > EPITAPH_GUARD_REACH)) {
            found.range = find_own(capture, stack_pointer, thread_data_address);
            found.has_known_end = found.range.start < found.range.end;
            return found;
        }
        if (mapping->start > start) start = mapping->start;
        end = mapping->end;
    }
    const uint64_t ends[] = {thread_data_address, epitaph_capture_settings_now.facts.main_stack_end,
                             epitaph_emergency_stack_range().end};
    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends[i] <= start || ends[i] > end) continue;
        end = ends[i];
        found.has_known_end = true;
    }
    if (end < start) return found;
    found.range.start = start;
    found.range.end = end;
    return found;
}

epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit) {
    epitaph_range stack =
        epitaph_stack_extent_find(capture, stack_pointer, thread_data_address).range;
    epitaph_range_clip(&stack, limit);
    epitaph_range_clip(&stack, capture->stacks->bytes_left);
    epitaph_mappings_note_stack(&capture->mappings, stack);
    return stack;
}

epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address) {
    epitaph_range stack =
        epitaph_stack_extent_find(capture, stack_pointer, thread_data_address).range;
    epitaph_range_clip(&stack, epitaph_capture_settings_now.limits.other_stack_bytes);
    // For a small one, the zeros, which cost nothing, are known only after reading.
    if (stack.end - stack.start > EPITAPH_SMALL_STACK_SIZE)
        epitaph_range_clip(&stack, capture->stacks->bytes_left);
    epitaph_mappings_note_stack(&capture->mappings, stack);
    return stack;
}

/// Whether libc made `stack`, or the kernel for the main thread.
static bool is_made_stack(const epitaph_capture *capture, epitaph_range stack,
                          uint64_t thread_data_address) {
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, stack.start);
    if (mapping == NULL) return false;
    uint64_t main_end = epitaph_capture_settings_now.facts.main_stack_end;
    return epitaph_mapping_holds(mapping, thread_data_address) ||
           epitaph_mapping_holds(mapping, main_end);
}

/// Whether untouched pages of `stack`, between frames and below the innermost one, are zeros: also
/// those of a coroutine's, wherever the program made it.
static bool is_zero_where_untouched(const epitaph_capture *capture, epitaph_range stack,
                                    uint64_t thread_data_address) {
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, stack.start);
    return (mapping != NULL && mapping->is_anonymous) ||
           is_made_stack(capture, stack, thread_data_address);
}

void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address) {
    epitaph_range trusted;
    trusted.start = stack.start;
    trusted.end = stack.end;
    // Control block and thread-local variables are above.
    if (is_made_stack(capture, stack, thread_data_address)) {
        trusted.end = epitaph_mappings_find(&capture->mappings, stack.start)->end;
    }
    epitaph_residency_trust(trusted);
}

epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address) {
    epitaph_range before = epitaph_residency_trusted();
    if (is_zero_where_untouched(capture, stack, thread_data_address))
        epitaph_residency_trust(stack);
    const uint64_t page_mask = epitaph_capture_settings_now.facts.page_size - 1;
    // A stack that overflowed because of a big frame has not touched its end.
    while (stack.start < stack.end && epitaph_residency_is_absent(stack.start))
        stack.start = (stack.start | page_mask) + 1;
    if (stack.start > stack.end) stack.start = stack.end;
    stack.end = stack.start + epitaph_residency_prefix(stack.start, stack.end - stack.start);
    epitaph_residency_trust(before);
    return stack;
}
