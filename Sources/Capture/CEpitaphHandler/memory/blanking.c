// SPDX-License-Identifier: Apache-2.0
//
// Examines memory word by word. A run of eight bytes covers the highest byte of some word. Most
// words of a stack are addresses, small numbers and zeros, whose highest byte is zero: they cost
// one comparison, and only what looks like text is looked up.

#include "memory/memory.h"

#include "processor/registers.h"

enum { WORD = sizeof(uint64_t), QUIET_WORDS = 8 };

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
static uint32_t runs(const epitaph_text_index *index, uint64_t word, uint64_t next,
                     bool is_memory) {
    // Each of the eight windows contains the upper half of `word` or the lower half of `next`.
    if (!epitaph_text_index_may_have(index, (uint32_t)(word >> 32)) &&
        !epitaph_text_index_may_have(index, (uint32_t)next)) {
        return 0;
    }
    uint32_t mask = 0;
    for (uint32_t i = 0; i < WORD; i++) {
        uint64_t window = i == 0 ? word : word >> (8 * i) | next << (64 - 8 * i);
        if (is_memory && epitaph_zero_bytes(window) != 0) continue;
        if (epitaph_text_index_has(index, window)) mask |= 0xffu << i;
    }
    return mask;
}

/// The texts known at the start, and those found by the crash.
typedef struct texts {
    uint32_t count;
    const epitaph_text_index *indexes[2];
} texts;

static texts texts_of(const epitaph_blanking *blanking) {
    const epitaph_text_index *all[] = {blanking->known, blanking->late};
    texts found;
    found.count = 0;
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] != NULL && all[i]->text_bytes > 0) found.indexes[found.count++] = all[i];
    }
    return found;
}

static uint32_t all_runs(const texts *texts, uint64_t word, uint64_t next, bool is_memory) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < texts->count; i++)
        mask |= runs(texts->indexes[i], word, next, is_memory);
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

/// Blanks the bytes from `at` on whose bit is set.
static void fill_word(epitaph_blanking *blanking, const epitaph_copy *copy, int64_t at,
                      uint32_t mask) {
    for (int i = 0; i < WORD; i++) {
        int64_t place = at + i;
        bool is_there = place >= 0 && (uint64_t)place < copy->count;
        if (is_there && (mask >> i & 1) != 0) fill(blanking, copy, (uint64_t)place);
    }
}

static void blank(epitaph_blanking *blanking, epitaph_copy copy, bool is_memory) {
    texts texts = texts_of(blanking);
    int64_t at = -(int64_t)(copy.address % WORD);
    uint64_t next = word_at(&copy, at);
    uint32_t mask = 0;
    for (; at < (int64_t)copy.count; at += WORD, mask >>= 8) {
        uint64_t word = next;
        next = word_at(&copy, at + WORD);
        bool may_begin = is_memory ? word >> 56 != 0 : word != 0;
        if (may_begin) mask |= all_runs(&texts, word, next, is_memory);
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

/// Whether the highest byte of each of eight words is zero, so that no run can begin there.
static bool is_quiet(const epitaph_copy *copy, int64_t at) {
    if (at < 0 || (uint64_t)at + QUIET_WORDS * WORD > copy->count) return false;
    uint64_t any = 0;
    for (int i = 0; i < QUIET_WORDS; i++) {
        uint64_t word;
        __builtin_memcpy(&word, copy->bytes + at + i * WORD, sizeof word);
        any |= word;
    }
    return any >> 56 == 0;
}

bool epitaph_blank_is_needed(const epitaph_blanking *blanking, epitaph_copy copy) {
    texts texts = texts_of(blanking);
    int64_t at = -(int64_t)(copy.address % WORD);
    while (at < (int64_t)copy.count) {
        if (is_quiet(&copy, at)) {
            at += QUIET_WORDS * WORD;
            continue;
        }
        for (int i = 0; i < QUIET_WORDS && at < (int64_t)copy.count; i++, at += WORD) {
            uint64_t word = word_at(&copy, at);
            if (word >> 56 == 0) continue;
            if (all_runs(&texts, word, word_at(&copy, at + WORD), true) != 0) return true;
        }
    }
    return false;
}

void epitaph_blank_range(epitaph_blanking *blanking, epitaph_copy copy, epitaph_range range) {
    uint64_t end = copy.address + copy.count;
    if (range.start < copy.address) range.start = copy.address;
    if (range.end > end) range.end = end;
    for (uint64_t address = range.start; address < range.end; address++)
        fill(blanking, &copy, address - copy.address);
}
