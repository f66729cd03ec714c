// SPDX-License-Identifier: Apache-2.0
//
// A thread's memory worth capturing: code at its instruction pointer, data at its registers, what
// its stack points to, and its chain of Swift async contexts.

#include "stacks/stacks.h"

#include "regions/regions.h"

enum {
    CODE_BYTES_BEFORE = 128,
    CODE_BYTES = 256,
    REGISTER_BYTES_BEFORE = 128,
    REGISTER_BYTES = 512,
    OTHER_REGISTER_BYTES_BEFORE = 32,
    OTHER_REGISTER_BYTES = 128,
    /// For words on the stack; those of the nearest frames get more.
    NEAR_WORD_COUNT = 256,
    NEAR_WORD_BYTES = 256,
    FAR_WORD_BYTES = 128,
    /// Share of the crashing thread's memory budget; registers and contexts get the rest.
    WORD_SHARE = 2,
    REGISTER_COUNT = 32,
};

static void add_code(epitaph_capture *capture, const ucontext_t *context) {
    uint64_t pointer = epitaph_registers_instruction_pointer(context);
    if (!epitaph_may_be_pointer(pointer)) return;
    epitaph_regions_add(capture, pointer, CODE_BYTES_BEFORE, CODE_BYTES);
}

/// Nearest frames first. Budgets regularly cut this, so that is not damage.
static void add_pointed_to_by_stack(epitaph_capture *capture, uint32_t word_count) {
    epitaph_regions *regions = capture->regions;
    uint64_t share = epitaph_capture_settings_now.limits.crashing_memory_bytes / WORD_SHARE;
    if (regions->thread_bytes_left > share) regions->thread_bytes_left = share;
    regions->is_optional = true;
    for (uint32_t i = 0; i < word_count && regions->thread_bytes_left > FAR_WORD_BYTES; i++) {
        uint64_t word = capture->stacks->words[i];
        if (epitaph_data_mapping_find(&capture->mappings, word) == NULL) continue;
        epitaph_regions_add(capture, word, 0,
                            i < NEAR_WORD_COUNT ? NEAR_WORD_BYTES : FAR_WORD_BYTES);
    }
}

static uint32_t read_words(epitaph_capture *capture, const ucontext_t *context,
                           epitaph_range stack) {
    uint64_t start = (epitaph_registers_stack_pointer(context) + 7) & ~7ull;
    if (start < stack.start) start = stack.start;
    if (start >= stack.end) return 0;
    uint64_t bytes = stack.end - start;
    if (bytes > sizeof capture->stacks->words) bytes = sizeof capture->stacks->words;
    return (uint32_t)(epitaph_memory_read(capture->stacks->words, start, bytes) / sizeof(uint64_t));
}

void epitaph_crashing_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                   epitaph_range stack) {
    epitaph_regions_begin_thread(capture, stack,
                                 epitaph_capture_settings_now.limits.crashing_memory_bytes);
    add_code(capture, context);
    uint64_t values[REGISTER_COUNT];
    uint32_t count = epitaph_registers_values(context, values);
    for (uint32_t i = 0; i < count; i++) {
        if (!epitaph_may_be_pointer(values[i])) continue;
        epitaph_regions_add(capture, values[i], REGISTER_BYTES_BEFORE, REGISTER_BYTES);
    }
    epitaph_async_contexts_add(capture, values, count);
    uint32_t outer_count = epitaph_async_outer_words_read(capture, stack);
    epitaph_async_contexts_add(capture, capture->stacks->words, outer_count);
    uint32_t word_count = read_words(capture, context, stack);
    epitaph_async_contexts_add(capture, capture->stacks->words, word_count);
    add_pointed_to_by_stack(capture, word_count);
    epitaph_regions_write(capture);
}

void epitaph_other_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                epitaph_range stack) {
    epitaph_regions_begin_thread(capture, stack,
                                 epitaph_capture_settings_now.limits.other_memory_bytes);
    add_code(capture, context);
    uint64_t values[REGISTER_COUNT];
    uint32_t count = epitaph_registers_values(context, values);
    uint32_t outer_count = epitaph_async_outer_words_read(capture, stack);
    if (outer_count > 0) {
        epitaph_async_contexts_add(capture, values, count);
        epitaph_async_contexts_add(capture, capture->stacks->words, outer_count);
        epitaph_async_contexts_add(capture, capture->stacks->words,
                                   read_words(capture, context, stack));
    }
    // Code is in the modules' files.
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address = epitaph_pointer_address(values[i]);
        if (address - stack.start < stack.end - stack.start) continue;
        if (epitaph_data_mapping_find(&capture->mappings, values[i]) == NULL) continue;
        epitaph_regions_add(capture, values[i], OTHER_REGISTER_BYTES_BEFORE, OTHER_REGISTER_BYTES);
    }
    epitaph_regions_write(capture);
}

void epitaph_lock_memory_write(epitaph_capture *capture, uint64_t address, epitaph_range stack) {
    epitaph_regions_begin_thread(capture, stack,
                                 epitaph_capture_settings_now.limits.other_memory_bytes);
    if (epitaph_data_mapping_find(&capture->mappings, address) != NULL) {
        epitaph_regions_add(capture, address, OTHER_REGISTER_BYTES_BEFORE, OTHER_REGISTER_BYTES);
    }
    epitaph_regions_write(capture);
}
