// SPDX-License-Identifier: Apache-2.0
//
// AsyncContext, swift/ABI/Task.h. On x86_64 r14 holds the current one at a suspension point;
// unoptimised code keeps its address on the stack.

#include "stacks/stacks.h"

#include "regions/regions.h"

enum {
    /// Per thread. A request through twenty middlewares of a server has 256.
    CHAIN_LIMIT = 1024,
    /// Words that look like contexts, real or not.
    LOOK_LIMIT = 2 * CHAIN_LIMIT,
    /// The nearest contexts are captured with their functions' variables, the others as links only.
    NEAR_CONTEXTS = 32,
    NEAR_BYTES = 64,
    LINK_BYTES = 16,
    CONTEXT_ALIGNMENT = 16,
    /// Memory for contexts besides a thread's other memory, in whole granules.
    CONTEXTS_BUDGET = CHAIN_LIMIT * EPITAPH_REGION_GRANULE + NEAR_CONTEXTS * NEAR_BYTES,
    /// The executor's frames. Only the thread's start and thread-local variables are beyond.
    OUTER_STACK_BYTES = 8192,
    /// AsyncTask with its fragments, as the reader's SwiftAwaitingTask knows it, in words: where a
    /// suspended task goes on, its innermost status record, the task that may await it, its group.
    TASK_CONTEXT = 8,
    TASK_RECORD = 13,
    TASK_AWAITED_BY = 26,
    TASK_GROUP = 28,
    TASK_WORDS = 32,
    /// Words from a task to its outermost context, by the size of its result.
    TASK_REACH_LEAST = 30,
    TASK_REACH = 64,
    /// TaskDependencyStatusRecord, in words, and in it what the task waits for.
    RECORD_AWAITED = 2,
    RECORD_WORDS = 6,
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
    return head->parent == 0 || epitaph_data_mapping_find(&capture->mappings, head->parent) != NULL;
}

static bool is_new(epitaph_async_chains *chains, uint64_t address) {
    uint64_t number = address / CONTEXT_ALIGNMENT;
    uint64_t place = (number + (number >> 12) * 40503) % EPITAPH_CONTEXT_TABLE_SIZE;
    while (chains->seen[place] != 0) {
        if (chains->seen[place] == address) return false;
        place = (place + 1) % EPITAPH_CONTEXT_TABLE_SIZE;
    }
    chains->seen[place] = address;
    chains->seen_count++;
    return true;
}

static bool keep(epitaph_capture *capture, uint64_t address, uint64_t count) {
    epitaph_regions *regions = capture->regions;
    epitaph_async_chains *chains = &capture->stacks->chains;
    uint64_t own_bytes_left = regions->thread_bytes_left;
    bool was_optional = regions->is_optional;
    regions->thread_bytes_left = chains->bytes_left;
    // The chain records the cut.
    regions->is_optional = true;
    bool is_whole = epitaph_regions_add(capture, address, 0, count);
    chains->bytes_left = regions->thread_bytes_left;
    regions->thread_bytes_left = own_bytes_left;
    regions->is_optional = was_optional;
    return is_whole;
}

static void note_cut(epitaph_async_chains *chains, uint64_t address) {
    if (chains->cut_count == EPITAPH_CHAIN_CUT_LIMIT) return;
    chains->cuts[chains->cut_count++] = address;
}

static bool has_room(const epitaph_async_chains *chains) {
    return chains->length < CHAIN_LIMIT && chains->seen_count < EPITAPH_CONTEXT_TABLE_LIMIT;
}

/// Captures the task whose outermost context is at `context` and the one that waits for it or its
/// group, with the record that says so. Returns the context where the latter goes on, or 0.
static uint64_t awaiting_task_keep(epitaph_capture *capture, uint64_t context) {
    uint64_t below[TASK_REACH];
    uint64_t other[TASK_WORDS];
    uint64_t record[RECORD_WORDS];
    uint64_t start = context - sizeof below;
    if (context < sizeof below || !epitaph_memory_read_exactly(below, start, sizeof below))
        return 0;
    for (uint32_t i = 0; i <= TASK_REACH - TASK_REACH_LEAST; i += 2) {
        uint64_t task = start + i * sizeof *below;
        uint64_t awaited_by = epitaph_pointer_address(below[i + TASK_AWAITED_BY]);
        // Both are objects of the same class.
        if (awaited_by % CONTEXT_ALIGNMENT != 0 ||
            epitaph_data_mapping_find(&capture->mappings, below[i]) == NULL ||
            epitaph_data_mapping_find(&capture->mappings, awaited_by) == NULL ||
            !epitaph_memory_read_exactly(other, awaited_by, sizeof other) || other[0] != below[i]) {
            continue;
        }
        uint64_t place = epitaph_pointer_address(other[TASK_RECORD]);
        if (epitaph_data_mapping_find(&capture->mappings, place) == NULL ||
            !epitaph_memory_read_exactly(record, place, sizeof record) ||
            (record[RECORD_AWAITED] != task && record[RECORD_AWAITED] != below[i + TASK_GROUP])) {
            continue;
        }
        keep(capture, task, sizeof other);
        keep(capture, awaited_by, sizeof other);
        keep(capture, place, sizeof record);
        return epitaph_pointer_address(other[TASK_CONTEXT]);
    }
    return 0;
}

static bool is_runtime(uint64_t address) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    return address - facts->concurrency_start < facts->concurrency_end - facts->concurrency_start;
}

/// To the end, or to where it joins another; from a task's end to the one that may await it.
static void follow(epitaph_capture *capture, uint64_t address, context_head head) {
    epitaph_async_chains *chains = &capture->stacks->chains;
    for (uint32_t i = 0; looks_like_context(capture, &head); i++) {
        if (!has_room(chains)) {
            note_cut(chains, address);
            return;
        }
        if (!is_new(chains, address)) return;
        chains->length++;
        if (!keep(capture, address, i < NEAR_CONTEXTS ? NEAR_BYTES : LINK_BYTES)) {
            note_cut(chains, address);
            return;
        }
        uint64_t parent = epitaph_pointer_address(head.parent);
        if (parent == 0 && is_runtime(epitaph_pointer_address(head.resume_parent))) {
            parent = awaiting_task_keep(capture, address);
        }
        address = parent;
        if (address == 0 || !epitaph_memory_read_exactly(&head, address, sizeof head)) return;
    }
}

void epitaph_async_chains_begin(epitaph_capture *capture) {
    epitaph_async_chains *chains = &capture->stacks->chains;
    chains->cut_count = 0;
    chains->length = 0;
    chains->looks_left = LOOK_LIMIT;
    chains->bytes_left = CONTEXTS_BUDGET;
}

void epitaph_async_chains_end(epitaph_capture *capture) {
    const epitaph_async_chains *chains = &capture->stacks->chains;
    if (chains->cut_count == 0) return;
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_ASYNC_CHAIN_CUTS, chains->cuts,
                         chains->cut_count * sizeof *chains->cuts);
}

void epitaph_async_chains_forget(epitaph_capture *capture) {
    epitaph_async_chains *chains = &capture->stacks->chains;
    // Too big to touch needlessly.
    if (chains->seen_count > 0) epitaph_bytes_zero(chains->seen, sizeof chains->seen);
    chains->seen_count = 0;
}

static void follow_batch(epitaph_capture *capture, const epitaph_range *heads, uint32_t count) {
    context_head found[EPITAPH_MEMORY_BATCH];
    uint32_t got[EPITAPH_MEMORY_BATCH];
    epitaph_memory_read_batch(found, sizeof found, heads, count, got);
    for (uint32_t i = 0; i < count && capture->stacks->chains.looks_left > 0; i++) {
        if (got[i] < sizeof *found || !looks_like_context(capture, &found[i])) continue;
        capture->stacks->chains.looks_left--;
        follow(capture, heads[i].start, found[i]);
    }
}

void epitaph_async_contexts_add(epitaph_capture *capture, const uint64_t *words, uint32_t count) {
    if (epitaph_capture_settings_now.facts.concurrency_start == 0) return;
    epitaph_range heads[EPITAPH_MEMORY_BATCH];
    uint32_t head_count = 0;
    for (uint32_t i = 0; i < count && capture->stacks->chains.looks_left > 0; i++) {
        bool is_last = i + 1 == count;
        bool may_be_context = words[i] % CONTEXT_ALIGNMENT == 0 &&
                              epitaph_data_mapping_find(&capture->mappings, words[i]) != NULL;
        if (may_be_context) {
            uint64_t address = epitaph_pointer_address(words[i]);
            heads[head_count].start = address;
            heads[head_count++].end = address + sizeof(context_head);
        }
        if (head_count == EPITAPH_MEMORY_BATCH || (is_last && head_count > 0)) {
            follow_batch(capture, heads, head_count);
            head_count = 0;
        }
    }
}

uint32_t epitaph_async_outer_words_read(epitaph_capture *capture, epitaph_range stack) {
    if (epitaph_capture_settings_now.facts.concurrency_start == 0) return 0;
    uint64_t bytes = stack.end - stack.start;
    if (bytes > OUTER_STACK_BYTES) bytes = OUTER_STACK_BYTES;
    uint64_t start = (stack.end - bytes + 7) & ~7ull;
    size_t count =
        epitaph_memory_read(capture->stacks->words, start, stack.end - start) / sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        if (is_runtime(epitaph_pointer_address(capture->stacks->words[i]))) return (uint32_t)count;
    }
    return 0;
}
