// SPDX-License-Identifier: Apache-2.0
//
// Writes stacks: whole, without a long run of zeros, or the outermost part of one that is too long.

#include "stacks/stacks.h"

#include "privacy/privacy.h"

enum {
    /// Size of the outermost part, where the thread began, of a stack beyond its limit.
    OUTERMOST_BYTES = 32 << 10,
    /// Shortest run of zeros to leave out of a small stack.
    HOLE_SIZE = 1024,
};

static void write_absence(epitaph_capture *capture, uint64_t tid) {
    epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA,
                       capture->stacks->bytes_left == 0 ? EPITAPH_WHY_OVER_BUDGET
                                                        : EPITAPH_WHY_UNREADABLE,
                       0, tid);
}

void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid) {
    if (stack.start == stack.end) {
        write_absence(capture, tid);
        return;
    }
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack.start);
    uint64_t written = epitaph_blanked_memory_write(capture, EPITAPH_KEY_STACK_REGION_DATA,
                                                    stack.start, stack.end - stack.start);
    capture->stacks->bytes_left -= written;
    if (written < stack.end - stack.start && capture->mappings.count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA,
                           epitaph_residency_why(stack.start + written), 0, tid);
    }
}

void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack) {
    if (stack.start == stack.end) return;
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_MEMORY_REGIONS);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_MEMORY_REGION_ADDRESS, stack.start);
    capture->stacks->bytes_left -= epitaph_blanked_memory_write(
        capture, EPITAPH_KEY_MEMORY_REGION_DATA, stack.start, stack.end - stack.start);
    epitaph_writer_end(&capture->writer);
}

static uint64_t write_outermost(epitaph_capture *capture, epitaph_range stack,
                                uint64_t thread_data_address, uint64_t found_end) {
    epitaph_range outermost = stack;
    if (stack.end - stack.start > OUTERMOST_BYTES) outermost.start = stack.end - OUTERMOST_BYTES;
    if (outermost.start < found_end) outermost.start = found_end;
    outermost = epitaph_stack_present_part(capture, outermost, thread_data_address);
    if (outermost.end - outermost.start > capture->stacks->bytes_left) return stack.end;
    epitaph_stack_write_region(capture, outermost);
    return outermost.start;
}

void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit) {
    epitaph_stack_extent stack =
        epitaph_stack_extent_find(capture, owner->stack_pointer, owner->thread_data_address);
    if (found.start == found.end || stack.range.end <= found.end) return;
    bool is_over_limit = found.end - found.start >= limit;
    epitaph_dump_why why = is_over_limit ? EPITAPH_WHY_OVER_LIMIT : EPITAPH_WHY_OVER_BUDGET;
    uint64_t left_out = 0;
    // Without a memory map the stack's end is unknown unless another source has it.
    if (capture->mappings.count > 0 || stack.has_known_end) {
        left_out = write_outermost(capture, stack.range, owner->thread_data_address, found.end) -
                   found.end;
    }
    // Said already.
    if (epitaph_residency_is_absent(found.end)) return;
    // Above a stack that the program made itself there may be anything.
    if (stack.has_known_end ? left_out > 0 : capture->mappings.count == 0) {
        epitaph_damage_add_bytes(capture, EPITAPH_KEY_STACK_REGION_DATA, why, (uint64_t)owner->tid,
                                 left_out);
    }
}

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

static void write_later(epitaph_capture *capture, epitaph_range *stack, uint64_t tid) {
    epitaph_range_clip(stack, capture->stacks->bytes_left);
    uint64_t count = stack->end - stack->start;
    if (epitaph_memory_is_private(capture, stack->start, count)) {
        epitaph_stack_write(capture, *stack, tid);
        return;
    }
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack->start);
    epitaph_writer_memory_later(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA, stack->start,
                                count, tid);
    capture->stacks->bytes_left -= count;
}

/// Writes the first `count` scratch bytes without `zeros`; shortens `stack` to the budget.
static void write_parts(epitaph_capture *capture, epitaph_range *stack, epitaph_range zeros,
                        uint64_t count) {
    epitaph_writer *writer = &capture->writer;
    uint64_t lower = zeros.start;
    uint64_t upper = count - zeros.end;
    if (lower > capture->stacks->bytes_left) lower = capture->stacks->bytes_left;
    capture->stacks->bytes_left -= lower;
    if (lower < zeros.start) upper = 0;
    if (upper > capture->stacks->bytes_left) upper = capture->stacks->bytes_left;
    capture->stacks->bytes_left -= upper;
    epitaph_writer_u64(writer, EPITAPH_KEY_STACK_REGION_ADDRESS, stack->start);
    epitaph_writer_bytes(writer, EPITAPH_KEY_STACK_REGION_DATA, capture->scratch, lower);
    uint64_t written_end = lower < zeros.start ? lower : zeros.end + upper;
    if (upper > 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_STACK_UPPER_ADDRESS, stack->start + zeros.end);
        epitaph_writer_bytes(writer, EPITAPH_KEY_STACK_UPPER_DATA, capture->scratch + zeros.end,
                             upper);
    }
    stack->end = stack->start + written_end;
}

// Between a thread's frames and its thread-local variables are some two kilobytes that libc
// reserves for libraries loaded later: most of an idle thread. A buffer zeroed by a frame looks the
// same, so what is above the zeros belongs to the stack too.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid) {
    uint64_t count = stack->end - stack->start;
    if (count == 0 || capture->stacks->bytes_left == 0) {
        stack->end = stack->start;
        write_absence(capture, tid);
        return;
    }
    bool is_small = count <= EPITAPH_SMALL_STACK_SIZE;
    if (!is_small || !epitaph_memory_read_exactly(capture->scratch, stack->start, count)) {
        write_later(capture, stack, tid);
        return;
    }
    epitaph_private_texts_blank(capture, epitaph_copy_of(capture->scratch, count, stack->start));
    epitaph_range zeros = longest_zeros(capture->scratch, count);
    if (zeros.end - zeros.start < HOLE_SIZE) {
        zeros.start = count;
        zeros.end = count;
    }
    write_parts(capture, stack, zeros, count);
}
