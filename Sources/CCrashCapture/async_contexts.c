// SPDX-License-Identifier: Apache-2.0
//
// AsyncContext, swift/ABI/Task.h. On x86_64 the current one is in r14 at a suspension point; code
// without optimisation keeps its address on the stack.

#include "async_contexts.h"

#include "pointer_address.h"
#include "thread_parts.h"

enum {
    CHAIN_LIMIT = 32,
    /// Links of all chains that are looked at for one thread.
    LINK_LIMIT = 256,
    CONTEXT_BYTES = 64,
    CONTEXT_ALIGNMENT = 16,
    /// Where the executor's frames are: below them are only the start of the thread and its
    /// thread-local variables.
    OUTER_STACK_BYTES = 4096,
};

typedef struct context_head {
    uint64_t parent;
    uint64_t resume_parent;
} context_head;

static bool looks_like_context(const epitaph_capture *capture, const context_head *head) {
    uint64_t resume = epitaph_pointer_address(head->resume_parent);
    if (head->parent % CONTEXT_ALIGNMENT != 0) return false;
    const epitaph_mapping *code = epitaph_mappings_find(&capture->mappings, resume);
    if (code == NULL || !code->is_executable) return false;
    return head->parent == 0 || epitaph_data_mapping_find(capture, head->parent) != NULL;
}

/// Follows one chain; returns how many links it looked at.
static uint32_t follow(epitaph_capture *capture, uint64_t address, context_head head) {
    for (uint32_t i = 1;; i++) {
        if (!looks_like_context(capture, &head)) return i;
        epitaph_regions_add(capture, address, 0, CONTEXT_BYTES);
        address = epitaph_pointer_address(head.parent);
        if (address == 0 || i == CHAIN_LIMIT) return i;
        if (!epitaph_memory_read_exactly(&head, address, sizeof head)) return i;
    }
}

/// Looks at the heads behind a batch of pointers with one read.
static uint32_t follow_batch(epitaph_capture *capture, const epitaph_range *heads, uint32_t count,
                             uint32_t links_left) {
    context_head found[EPITAPH_MEMORY_BATCH];
    uint32_t got[EPITAPH_MEMORY_BATCH];
    uint32_t looked_at = 0;
    epitaph_memory_read_batch(found, sizeof found, heads, count, got);
    for (uint32_t i = 0; i < count && looked_at < links_left; i++) {
        if (got[i] < sizeof *found || !looks_like_context(capture, &found[i])) continue;
        looked_at += follow(capture, heads[i].start, found[i]);
    }
    return looked_at;
}

void epitaph_async_contexts_add(epitaph_capture *capture, const uint64_t *words, uint32_t count) {
    if (epitaph_capture_settings_now.facts.concurrency_start == 0) return;
    epitaph_range heads[EPITAPH_MEMORY_BATCH];
    uint32_t head_count = 0;
    uint32_t links_left = LINK_LIMIT;
    for (uint32_t i = 0; i < count && links_left > 0; i++) {
        bool is_last = i + 1 == count;
        bool may_be_context = words[i] % CONTEXT_ALIGNMENT == 0 &&
                              epitaph_data_mapping_find(capture, words[i]) != NULL;
        if (may_be_context) {
            uint64_t address = epitaph_pointer_address(words[i]);
            heads[head_count].start = address;
            heads[head_count++].end = address + sizeof(context_head);
        }
        if (head_count == EPITAPH_MEMORY_BATCH || (is_last && head_count > 0)) {
            uint32_t looked_at = follow_batch(capture, heads, head_count, links_left);
            links_left = looked_at < links_left ? links_left - looked_at : 0;
            head_count = 0;
        }
    }
}

uint32_t epitaph_async_outer_words_read(epitaph_capture *capture, epitaph_range stack) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    if (facts->concurrency_start == 0) return 0;
    uint64_t bytes = stack.end - stack.start;
    if (bytes > OUTER_STACK_BYTES) bytes = OUTER_STACK_BYTES;
    uint64_t start = (stack.end - bytes + 7) & ~7ull;
    size_t count =
        epitaph_memory_read(capture->stack_words, start, stack.end - start) / sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        uint64_t offset =
            epitaph_pointer_address(capture->stack_words[i]) - facts->concurrency_start;
        if (offset < facts->concurrency_end - facts->concurrency_start) return (uint32_t)count;
    }
    return 0;
}
