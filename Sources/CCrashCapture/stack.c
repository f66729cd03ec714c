// SPDX-License-Identifier: Apache-2.0

#include "thread_parts.h"

#include "memory.h"
#include "pointer_address.h"
#include "residency.h"

enum {
    /// Without a map of the address space a stack is followed this far.
    BLIND_STACK_SIZE = 1 << 16,
    /// The outermost part of a stack that is longer than its limit: where the thread began.
    OUTERMOST_BYTES = 32 << 10,
    /// Stacks up to this size are looked at for a hole of at least the other.
    SMALL_STACK_SIZE = 8192,
    HOLE_SIZE = 1024,
};

/// From the red zone below `stack_pointer` up to the end of the stack: the thread's control block
/// for threads libc made (static thread-local storage lies below it), the arguments for the main
/// thread, the mapping's end otherwise.
static epitaph_range stack_range(const epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address) {
    epitaph_range none;
    none.start = 0;
    none.end = 0;
    stack_pointer = epitaph_pointer_address(stack_pointer);
    uint64_t start = stack_pointer - epitaph_red_zone_bytes;
    if (start > stack_pointer) return none;
    uint64_t end;
    if (capture->mappings.count == 0) {
        end = stack_pointer + BLIND_STACK_SIZE;
    } else {
        const epitaph_mapping *mapping =
            epitaph_mappings_find_readable_from(&capture->mappings, stack_pointer);
        if (mapping == NULL) return none;
        if (mapping->start > stack_pointer &&
            mapping->start - stack_pointer > EPITAPH_GUARD_REACH) {
            return none;
        }
        if (mapping->start > start) start = mapping->start;
        end = mapping->end;
    }
    uint64_t main_end = epitaph_capture_settings_now.facts.main_stack_end;
    if (thread_data_address > start && thread_data_address < end) end = thread_data_address;
    if (main_end > start && main_end < end) end = main_end;
    if (end < start) return none;
    epitaph_range found;
    found.start = start;
    found.end = end;
    return found;
}

epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit) {
    if (limit > capture->stack_bytes_left) limit = capture->stack_bytes_left;
    epitaph_range stack = stack_range(capture, stack_pointer, thread_data_address);
    if (stack.end - stack.start > limit) stack.end = stack.start + limit;
    epitaph_mappings_note_stack(&capture->mappings, stack);
    return stack;
}

/// Whether libc made `stack` for the thread, or the kernel for the first one: these are used as
/// stacks and nothing else, and untouched pages between frames are zeros.
static bool is_made_stack(const epitaph_capture *capture, epitaph_range stack,
                          uint64_t thread_data_address) {
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, stack.start);
    if (mapping == NULL) return false;
    uint64_t main_end = epitaph_capture_settings_now.facts.main_stack_end;
    return thread_data_address - mapping->start < mapping->end - mapping->start ||
           main_end - mapping->start < mapping->end - mapping->start;
}

void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address) {
    epitaph_range trusted;
    trusted.start = stack.start;
    trusted.end = stack.end;
    // The thread's control block and its thread-local variables lie above.
    if (is_made_stack(capture, stack, thread_data_address)) {
        trusted.end = epitaph_mappings_find(&capture->mappings, stack.start)->end;
    }
    epitaph_residency_trust(trusted);
}

epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address) {
    if (is_made_stack(capture, stack, thread_data_address)) return stack;
    const uint64_t page_mask = epitaph_capture_settings_now.facts.page_size - 1;
    // A stack that overflowed by a big frame has not touched its end.
    while (stack.start < stack.end && epitaph_residency_is_absent(stack.start))
        stack.start = (stack.start | page_mask) + 1;
    if (stack.start > stack.end) stack.start = stack.end;
    stack.end = stack.start + epitaph_residency_prefix(stack.start, stack.end - stack.start);
    return stack;
}

static void write_absence(epitaph_capture *capture, uint64_t tid) {
    epitaph_damage_add(
        capture, EPITAPH_KEY_STACK_REGION_DATA,
        capture->stack_bytes_left == 0 ? EPITAPH_WHY_OVER_BUDGET : EPITAPH_WHY_UNREADABLE, 0, tid);
}

void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid) {
    if (stack.start == stack.end) {
        write_absence(capture, tid);
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

void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack) {
    if (stack.start == stack.end) return;
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, stack.start);
    capture->stack_bytes_left -= epitaph_writer_memory(
        &capture->writer, EPITAPH_KEY_MEMORY_REGION_DATA, stack.start, stack.end - stack.start);
    epitaph_writer_end(&capture->writer);
}

void epitaph_stack_outermost_write(epitaph_capture *capture, uint64_t stack_pointer,
                                   uint64_t thread_data_address, uint64_t written_end) {
    epitaph_range stack = stack_range(capture, stack_pointer, thread_data_address);
    // Without a map of the address space nobody knows where the stack ends.
    if (capture->mappings.count == 0 || stack.end <= written_end) return;
    uint64_t start = stack.end - stack.start > OUTERMOST_BYTES ? stack.end - OUTERMOST_BYTES : 0;
    if (start < written_end) start = written_end;
    stack.start = start;
    stack = epitaph_stack_present_part(capture, stack, thread_data_address);
    if (stack.end - stack.start <= capture->stack_bytes_left)
        epitaph_stack_write_region(capture, stack);
}

/// The longest run of zero words in `count` bytes, as offsets.
static epitaph_range longest_zeros(const uint8_t *bytes, uint64_t count) {
    epitaph_range longest;
    longest.start = 0;
    longest.end = 0;
    uint64_t start = 0;
    for (uint64_t i = 0; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
        uint64_t word;
        __builtin_memcpy(&word, bytes + i, sizeof word);
        if (word != 0) {
            start = i + sizeof word;
        } else if (i + sizeof word - start > longest.end - longest.start) {
            longest.start = start;
            longest.end = i + sizeof word;
        }
    }
    return longest;
}

// Between the frames of a thread and its control block lie its thread-local variables, and between
// those and the frames some two kilobytes that libc sets aside for libraries to come: they would be
// the greater part of an idle thread.
epitaph_range epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack,
                                        uint64_t tid) {
    epitaph_range rest;
    rest.start = stack->end;
    rest.end = stack->end;
    uint64_t count = stack->end - stack->start;
    bool is_small = count <= SMALL_STACK_SIZE;
    if (count == 0) {
        write_absence(capture, tid);
        return rest;
    }
    if (!is_small || !epitaph_memory_read_exactly(capture->scratch, stack->start, count)) {
        epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack->start);
        epitaph_writer_memory_later(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA, stack->start,
                                    count, tid);
        capture->stack_bytes_left -= count;
        return rest;
    }
    epitaph_range zeros = longest_zeros(capture->scratch, count);
    if (zeros.end - zeros.start >= HOLE_SIZE) {
        rest.start = stack->start + zeros.end;
        stack->end = stack->start + zeros.start;
        count = zeros.start;
        epitaph_mappings_note_stack(&capture->mappings, *stack);
    }
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack->start);
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA, capture->scratch, count);
    capture->stack_bytes_left -= count;
    return rest;
}
