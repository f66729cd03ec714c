// SPDX-License-Identifier: Apache-2.0
//
// Writes memory directly if a check finds it clean, as nearly always, or a blanked copy.

#include "privacy/privacy.h"

#include "epitaph_sanitizers.h"

enum {
    /// Read on both sides of a piece, to find runs across its ends.
    MARGIN = 64,
    PIECE = EPITAPH_SCRATCH_SIZE - 2 * MARGIN,
};

static epitaph_copy read_piece(epitaph_capture *capture, uint64_t start, uint64_t address,
                               uint64_t end) {
    uint64_t from = address - start < MARGIN ? start : address - MARGIN;
    uint64_t count = end - from < EPITAPH_SCRATCH_SIZE ? end - from : EPITAPH_SCRATCH_SIZE;
    uint64_t got = epitaph_memory_read(capture->scratch, from, count);
    return epitaph_copy_of(capture->scratch, got, from);
}

/// Whether memory can be checked in place, in a third of the time of copying: it has no file, is
/// not absent, and no thread unmaps it, because it is on the stack of this one or all are held.
static bool may_look_in_place(const epitaph_capture *capture, uint64_t address, uint64_t count) {
    // AddressSanitizer would end the process for reading what is between variables.
    if (EPITAPH_ADDRESSES_ARE_CHECKED) return false;
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, address);
    if (mapping == NULL || !mapping->is_anonymous || count > mapping->end - address) return false;
    uint64_t stack_pointer = epitaph_registers_stack_pointer(capture->context);
    if (!capture->threads_stand_still && !epitaph_mapping_holds(mapping, stack_pointer))
        return false;
    // A crash in the meantime may need the guard, which a live dump therefore leaves alone.
    return capture->is_live ? epitaph_memory_is_readable(address, count)
                            : epitaph_residency_prefix(address, count) == count;
}

typedef struct look {
    const epitaph_blanking *blanking;
    const epitaph_copy *memory;
    bool is_needed;
} look;

static void look_at(void *argument) {
    look *look = argument;
    look->is_needed = epitaph_blank_is_needed(look->blanking, *look->memory);
}

/// False if the memory cannot be read after all: a protection key, a swap device that fails.
static bool look_in_place(epitaph_capture *capture, uint64_t address, uint64_t count,
                          bool *is_needed) {
    epitaph_copy here = epitaph_copy_of((uint8_t *)address, count, address);
    look look;
    look.blanking = &capture->blanking;
    look.memory = &here;
    look.is_needed = false;
    bool is_done = true;
    if (capture->is_live) {
        look_at(&look);
    } else {
        is_done = epitaph_guard_run(look_at, &look);
    }
    *is_needed = look.is_needed;
    return is_done;
}

static bool look_through(epitaph_capture *capture, uint64_t address, uint64_t *count) {
    bool is_needed = false;
    if (may_look_in_place(capture, address, *count) &&
        look_in_place(capture, address, *count, &is_needed)) {
        return is_needed;
    }
    uint64_t end = address + *count;
    for (uint64_t next = address; next < end;) {
        epitaph_copy copy = read_piece(capture, address, next, end);
        if (!is_needed) is_needed = epitaph_blank_is_needed(&capture->blanking, copy);
        uint64_t reached = copy.address + copy.count;
        if (reached <= next) end = next;
        if (copy.count < EPITAPH_SCRATCH_SIZE && reached < end) end = reached;
        next = reached;
    }
    *count = end - address;
    return is_needed;
}

bool epitaph_memory_is_private(epitaph_capture *capture, uint64_t address, uint64_t count) {
    epitaph_range before = epitaph_residency_trusted();
    epitaph_range range = {.start = address, .end = address + count};
    epitaph_residency_trust(range);
    bool is_private = look_through(capture, address, &count);
    epitaph_residency_trust(before);
    return is_private;
}

/// Writes pieces, each blanked together with some context.
static void write_pieces(epitaph_capture *capture, epitaph_dump_key key, uint64_t address,
                         uint64_t count) {
    uint64_t end = address + count;
    epitaph_writer_property_header(&capture->writer, key, count);
    for (uint64_t next = address; next < end;) {
        uint64_t piece = end - next < PIECE ? end - next : PIECE;
        epitaph_copy copy = read_piece(capture, address, next, end);
        copy.before = next - copy.address;
        // Another thread may have unmapped it since the check, but its length is written.
        for (; copy.count < copy.before + piece; copy.count++) {
            copy.bytes[copy.count] = EPITAPH_BLANK_BYTE;
            __asm__ volatile("" : : : "memory");
        }
        copy.after = copy.count - copy.before - piece;
        epitaph_private_texts_blank(capture, copy);
        epitaph_writer_append(&capture->writer, copy.bytes + copy.before, piece);
        next += piece;
    }
    epitaph_writer_complete(&capture->writer);
}

uint64_t epitaph_blanked_memory_write(epitaph_capture *capture, epitaph_dump_key key,
                                      uint64_t address, uint64_t count) {
    epitaph_range before = epitaph_residency_trusted();
    epitaph_range range = {.start = address, .end = address + count};
    epitaph_residency_trust(range);
    count = epitaph_residency_prefix(address, count);
    uint64_t readable = count;
    uint64_t written;
    if (!look_through(capture, address, &readable)) {
        written = epitaph_writer_memory(&capture->writer, key, address, count);
    } else if (readable <= EPITAPH_SCRATCH_SIZE) {
        // With one call, as without a copy.
        epitaph_copy copy = read_piece(capture, address, address, address + readable);
        epitaph_private_texts_blank(capture, copy);
        written = epitaph_writer_memory(&capture->writer, key, (uint64_t)copy.bytes, copy.count);
    } else {
        write_pieces(capture, key, address, readable);
        written = readable;
    }
    epitaph_residency_trust(before);
    return written;
}
