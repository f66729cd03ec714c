// SPDX-License-Identifier: Apache-2.0
//
// Blanks word by word, where a run is: text_runs.c.

#include "memory/memory.h"

#include "processor/registers.h"

enum { WORD = sizeof(uint64_t) };

/// Without a memory map, values below this may be addresses.
static const uint64_t user_space_end = 1ull << 48;

/// The eight bytes from `at` on; bytes outside of the copy are 0.
static uint64_t word_at(const epitaph_copy *copy, int64_t at) {
    uint64_t word = 0;
    if (at >= 0 && (uint64_t)at + WORD <= copy->count) {
        __builtin_memcpy(&word, copy->bytes + at, sizeof word);
        return word;
    }
    for (int i = 0; i < WORD; i++) {
        int64_t place = at + i;
        if (place < 0 || (uint64_t)place >= copy->count) continue;
        word |= (uint64_t)copy->bytes[place] << (8 * i);
    }
    return word;
}

/// Bit n: byte n of the sixteen is in a run that begins in the first eight. In memory seven letters
/// and a zero are too few; a register may combine the end of one text with the next.
static uint32_t runs(const epitaph_text_search *search, uint64_t word, uint64_t next,
                     bool is_memory) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        uint64_t window = i == 0 ? word : word >> (8 * i) | next << (64 - 8 * i);
        if (is_memory && epitaph_zero_bytes(window) != 0) continue;
        if (epitaph_text_search_has(search, window)) mask |= 0xffu << i;
    }
    return mask;
}

static bool is_address(const epitaph_blanking *blanking, uint64_t word) {
    // Even without tags in the highest bytes a text can look like an address; only a map decides.
    if (blanking->mappings == NULL || blanking->mappings->count == 0) return word < user_space_end;
    return epitaph_mappings_find(blanking->mappings, epitaph_pointer_address(word)) != NULL;
}

static void fill(epitaph_blanking *blanking, const epitaph_copy *copy, uint64_t place) {
    uint8_t *byte = copy->bytes + place;
    if (place < copy->before || place >= copy->count - copy->after) return;
    if (*byte == 0 || *byte == EPITAPH_BLANK_BYTE) return;
    *byte = EPITAPH_BLANK_BYTE;
    blanking->blanked_bytes++;
}

static void fill_word(epitaph_blanking *blanking, const epitaph_copy *copy, int64_t at,
                      uint32_t mask) {
    for (int i = 0; i < WORD; i++) {
        int64_t place = at + i;
        bool is_there = place >= 0 && (uint64_t)place < copy->count;
        if (is_there && (mask >> i & 1) != 0) fill(blanking, copy, (uint64_t)place);
    }
}

static int64_t word_of_next_run(const epitaph_text_search *search, const epitaph_copy *copy,
                                int64_t at) {
    uint64_t first = at < 0 ? 0 : (uint64_t)at;
    uint64_t run = epitaph_text_run_find(search, copy->bytes, first, copy->count);
    return (int64_t)(run - (copy->address + run) % WORD);
}

static void blank(epitaph_blanking *blanking, epitaph_copy copy, bool is_memory) {
    epitaph_text_search search = epitaph_text_search_of(blanking->known, blanking->late);
    if (search.count == 0) return;
    int64_t at = -(int64_t)(copy.address % WORD);
    uint32_t mask = 0;
    for (; at < (int64_t)copy.count; at += WORD, mask >>= 8) {
        if (is_memory && mask == 0) at = word_of_next_run(&search, &copy, at);
        uint64_t word = word_at(&copy, at);
        if (word != 0) mask |= runs(&search, word, word_at(&copy, at + WORD), is_memory);
        if ((mask & 0xff) == 0 || (is_memory && is_address(blanking, word))) continue;
        fill_word(blanking, &copy, at, mask & 0xff);
    }
}

void epitaph_blank(epitaph_blanking *blanking, epitaph_copy copy) {
    blank(blanking, copy, true);
}

void epitaph_blank_registers(epitaph_blanking *blanking, epitaph_copy copy) {
    blank(blanking, copy, false);
}

bool epitaph_blank_is_needed(const epitaph_blanking *blanking, epitaph_copy copy) {
    epitaph_text_search search = epitaph_text_search_of(blanking->known, blanking->late);
    return epitaph_text_run_find(&search, copy.bytes, 0, copy.count) < copy.count;
}

void epitaph_blank_range(epitaph_blanking *blanking, epitaph_copy copy, epitaph_range range) {
    uint64_t end = copy.address + copy.count;
    if (range.start < copy.address) range.start = copy.address;
    if (range.end > end) range.end = end;
    for (uint64_t address = range.start; address < range.end; address++)
        fill(blanking, &copy, address - copy.address);
}
