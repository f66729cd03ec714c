// SPDX-License-Identifier: Apache-2.0
//
// mincore(2) for 64 pages at once, cached: threads and pointers share most of their targets.

#include "memory/memory.h"

#include "epitaph_settings.h"

#include <errno.h>

enum { WINDOW_PAGES = 64, WINDOW_COUNT = 64, BLIND_PAGES = 4 };

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

/// mincore(2) of these pages of the window up to the first unmapped one.
static void ask(window *entry, uint64_t number, epitaph_range pages) {
    uint8_t answers[WINDOW_PAGES];
    for (uint64_t i = pages.start; i < pages.end; i++) {
        answers[i] = no_answer;
        __asm__ volatile("" : : : "memory");
    }
    long result =
        epitaph_sys_mincore((number * WINDOW_PAGES + pages.start) << page_bits,
                            (pages.end - pages.start) << page_bits, answers + pages.start);
    if (result == -ENOSYS || result == -EPERM) page_bits = 0;
    for (uint64_t i = pages.start; i < pages.end && answers[i] != no_answer; i++) {
        if ((answers[i] & 1) == 0) entry->absent |= 1ull << i;
        // A section may be broken off in between.
        __asm__ volatile("" : : : "memory");
        entry->known |= 1ull << i;
    }
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
static bool is_always_present(uint64_t address) {
    uint64_t vdso = epitaph_capture_settings_now.facts.vdso_address;
    return page_bits == 0 || (vdso != 0 && address >> page_bits == vdso >> page_bits);
}

/// The window's pages around `page` that are of one mapping: for pages of another's file that
/// this process has not touched, the kernel needs a fifth of a microsecond each. Without the map
/// only the next ones.
static epitaph_range pages_around(const epitaph_mapping *mapping, uint64_t number, uint32_t page) {
    uint64_t first = number * WINDOW_PAGES;
    epitaph_range pages = {page, page + BLIND_PAGES};
    if (mapping != NULL) {
        uint64_t start = mapping->start >> page_bits;
        pages.start = start > first ? start - first : 0;
        pages.end = (mapping->end >> page_bits) - first;
    }
    if (pages.end > WINDOW_PAGES) pages.end = WINDOW_PAGES;
    return pages;
}

static bool is_trusted(uint64_t address) {
    return address - trusted.start < trusted.end - trusted.start;
}

static void learn(window *entry, uint64_t number, uint32_t page, uint64_t address) {
    const epitaph_mapping *mapping =
        mappings == NULL ? NULL : epitaph_mappings_find(mappings, address);
    epitaph_range pages = pages_around(mapping, number, page);
    if (mapping != NULL && mapping->is_on_disk) {
        // Need no question.
        for (uint64_t i = pages.start; i < pages.end; i++)
            entry->known |= 1ull << i;
        return;
    }
    // Of a stack, which is mapped with much that was never used, only the part in use is needed.
    if (is_trusted(address)) {
        uint64_t last = ((trusted.end - 1) >> page_bits) - number * WINDOW_PAGES;
        pages.start = page;
        if (last < pages.end) pages.end = last + 1;
    }
    ask(entry, number, pages);
    // In a process that lives on, pages before this one may have gone.
    if ((entry->known >> page & 1) == 0 && pages.start != page) {
        pages.start = page;
        ask(entry, number, pages);
    }
    // Unmapped, or not answered.
    entry->known |= 1ull << page;
}

bool epitaph_residency_is_absent(uint64_t address) {
    if (is_always_present(address)) return false;
    uint64_t number = (address >> page_bits) / WINDOW_PAGES;
    uint32_t page = (uint32_t)((address >> page_bits) % WINDOW_PAGES);
    uint64_t bit = 1ull << page;
    window *entry = find_window(number);
    if ((entry->known & bit) == 0) learn(entry, number, page, address);
    if ((entry->absent & bit) == 0) return false;
    if (!is_trusted(address) || !epitaph_memory_fetch(address)) return true;
    entry->absent &= ~bit;
    return false;
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
