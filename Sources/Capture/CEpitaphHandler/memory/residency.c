// SPDX-License-Identifier: Apache-2.0
//
// mincore(2) for 64 pages at once, cached: threads and pointers share most of their targets.

#include "memory/memory.h"

#include "epitaph_settings.h"

#include <errno.h>

enum { WINDOW_PAGES = 64, WINDOW_COUNT = 64 };

/// The kernel returns 0 and 1.
static const uint8_t no_answer = 0xff;

/// 64 pages; bit n is page n.
typedef struct window {
    /// 1 + its address divided by its size; 0: free.
    uint64_t number;
    uint64_t known;
    uint64_t absent;
    uint32_t capture;
} window;

static window windows[WINDOW_COUNT];
static uint32_t capture_number;
/// Logarithm of the page size; 0 if mincore(2) cannot be used.
static uint32_t page_bits;
static epitaph_range trusted;
static epitaph_mappings *mappings;

void epitaph_residency_begin(bool can_ask, epitaph_mappings *known) {
    uint64_t page_size = epitaph_capture_settings_now.facts.page_size;
    capture_number++;
    page_bits = can_ask && page_size != 0 ? (uint32_t)__builtin_ctzll(page_size) : 0;
    trusted.start = 0;
    trusted.end = 0;
    // An earlier capture's table is outdated.
    mappings = known;
    if (mappings != NULL) mappings->count = 0;
}

void epitaph_residency_trust(epitaph_range range) {
    trusted.start = range.start;
    trusted.end = range.end;
}

epitaph_range epitaph_residency_trusted(void) {
    return trusted;
}

/// mincore(2) of the window from page `first` up to the first unmapped one. Whether any was mapped.
static bool ask(window *entry, uint64_t number, uint32_t first) {
    uint8_t answers[WINDOW_PAGES];
    for (uint32_t i = first; i < WINDOW_PAGES; i++) {
        answers[i] = no_answer;
        __asm__ volatile("" : : : "memory");
    }
    long result =
        epitaph_sys_mincore((number * WINDOW_PAGES + first) << page_bits,
                            (uint64_t)(WINDOW_PAGES - first) << page_bits, answers + first);
    if (result == -ENOSYS || result == -EPERM) page_bits = 0;
    for (uint32_t i = first; i < WINDOW_PAGES && answers[i] != no_answer; i++) {
        if ((answers[i] & 1) == 0) entry->absent |= 1ull << i;
        // A section may be broken off in between.
        __asm__ volatile("" : : : "memory");
        entry->known |= 1ull << i;
    }
    return answers[first] != no_answer;
}

static window *find_window(uint64_t number) {
    window *entry = &windows[number % WINDOW_COUNT];
    if (entry->number == number + 1 && entry->capture == capture_number) return entry;
    entry->known = 0;
    entry->absent = 0;
    __asm__ volatile("" : : : "memory");
    entry->number = number + 1;
    entry->capture = capture_number;
    return entry;
}

/// Whether `address` is in memory without a check.
static bool is_trusted(uint64_t address) {
    uint64_t vdso = epitaph_capture_settings_now.facts.vdso_address;
    return page_bits == 0 || address - trusted.start < trusted.end - trusted.start ||
           (vdso != 0 && address >> page_bits == vdso >> page_bits);
}

/// Pages of a file on a disk need no check.
static void note_disk(window *entry, uint64_t number, uint64_t address) {
    if (mappings == NULL) return;
    const epitaph_mapping *mapping = epitaph_mappings_find(mappings, address);
    if (mapping == NULL || !mapping->is_on_disk) return;
    for (uint32_t i = 0; i < WINDOW_PAGES; i++) {
        uint64_t page = (number * WINDOW_PAGES + i) << page_bits;
        if (page >= mapping->start && page < mapping->end) entry->known |= 1ull << i;
    }
}

bool epitaph_residency_is_absent(uint64_t address) {
    if (is_trusted(address)) return false;
    uint64_t number = (address >> page_bits) / WINDOW_PAGES;
    uint32_t page = (uint32_t)((address >> page_bits) % WINDOW_PAGES);
    uint64_t bit = 1ull << page;
    window *entry = find_window(number);
    if ((entry->known & bit) == 0) note_disk(entry, number, address);
    if ((entry->known & bit) != 0) return (entry->absent & bit) != 0;
    // First the whole window; if it begins with a hole, from this page on.
    if (entry->known == 0) ask(entry, number, 0);
    if ((entry->known & bit) == 0 && !ask(entry, number, page)) entry->known |= bit;
    return (entry->absent & bit) != 0;
}

uint64_t epitaph_residency_prefix(uint64_t address, uint64_t count) {
    for (uint64_t done = 0; done < count && page_bits != 0;) {
        if (epitaph_residency_is_absent(address + done)) return done;
        uint64_t page_size = 1ull << page_bits;
        done += page_size - ((address + done) & (page_size - 1));
    }
    return count;
}

epitaph_dump_why epitaph_residency_why(uint64_t address) {
    return epitaph_residency_is_absent(address) ? EPITAPH_WHY_NOT_RESIDENT : EPITAPH_WHY_UNREADABLE;
}
