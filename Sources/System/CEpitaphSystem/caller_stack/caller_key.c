// SPDX-License-Identifier: Apache-2.0

#include "caller_parts.h"

#include <errno.h>

enum { KEY_FRAMES = 16, WINDOW_WORDS = 512 };

/// Bits above the address may hold its signature, Arm ARM D8.9.
static const uint64_t address_mask = (1ull << 48) - 1;
static const uint64_t frame_bytes_limit = 1 << 20;

/// One round of MurmurHash3's finalizer.
static uint64_t mixed(uint64_t key, uint64_t word) {
    key = (key ^ word) * 0xff51afd7ed558ccdull;
    return key ^ key >> 33;
}

/// The innermost part of a stack, read by one system call.
typedef struct stack_window {
    uint64_t start;
    size_t count;
    uint64_t words[WINDOW_WORDS];
} stack_window;

static bool read_in_window(const stack_window *window, uint64_t frame, uint64_t record[2]) {
    uint64_t offset = frame - window->start;
    if (frame < window->start || offset + 16 > window->count) return false;
    record[0] = window->words[offset / 8];
    record[1] = window->words[offset / 8 + 1];
    return true;
}

static bool read_record(const stack_window *window, epitaph_caller_limits limits, uint64_t frame,
                        uint64_t record[2]) {
    if (frame % 8 != 0) return false;
    if (read_in_window(window, frame, record)) return true;
    if (epitaph_caller_limits_contain(limits, frame, 16)) {
        epitaph_caller_memory_copy(record, frame, 16);
        return true;
    }
    return epitaph_caller_memory_read(record, frame, 16) == 16;
}

__attribute__((noinline)) uint64_t epitaph_caller_key(uint64_t seed) {
    int error_number = errno;
    epitaph_caller_limits limits = epitaph_caller_limits_get();
    uint64_t frame = (uint64_t)__builtin_frame_address(0);
    stack_window window;
    window.start = frame;
    window.count = 0;
    if (!epitaph_caller_limits_contain(limits, frame, 16)) {
        window.count = epitaph_caller_memory_read(window.words, frame, sizeof window.words);
    }
    uint64_t key = mixed(0, seed);
    uint64_t record[2];
    for (int i = 0; i < KEY_FRAMES && read_record(&window, limits, frame, record); i++) {
        key = mixed(key, record[1] & address_mask);
        uint64_t next = record[0] & address_mask;
        if (next <= frame || next - frame > frame_bytes_limit) break;
        frame = next;
    }
    errno = error_number;
    return key;
}
