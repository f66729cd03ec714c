// SPDX-License-Identifier: Apache-2.0
//
// A Swift task's local values are a chain of items, the latest first: {next and a tag, variable,
// type, value}. A child task's chain continues with its parent's. We call nothing of the runtime:
// the layout was probed at quiet time (task_layout.c of CEpitaph).

#include "threads/threads.h"

#include "epitaph_scopes.h"
#include "epitaph_threads.h"

enum {
    /// Limit of values to examine, parents' included. Each costs one read.
    ITEM_LIMIT = 256,
    /// Up to and including the token's check.
    ITEM_WORD_LIMIT = 10,
};

/// How the chain is read: by the kernel, or by loads in the thread whose task it is.
typedef size_t (*reader)(void *buffer, uint64_t address, size_t count);

static size_t load(void *buffer, uint64_t address, size_t count) {
    epitaph_bytes_copy(buffer, (const void *)address, count);
    return count;
}

static bool read_word(reader read, uint64_t address, uint64_t *word) {
    return read(word, address, sizeof *word) == sizeof *word;
}

static bool is_tag_of_value(const epitaph_task_layout *layout, uint64_t tag) {
    return tag == layout->value_tag || tag == layout->group_tag;
}

static epitaph_scope_search take_token(uint64_t value, uint64_t check, uint64_t *token) {
    if ((value ^ EPITAPH_SCOPE_CHECK) != check) return EPITAPH_SCOPE_NOT_KNOWN;
    *token = value;
    if (value == 0) return EPITAPH_SCOPE_NONE;
    if (value == EPITAPH_SCOPE_WITHOUT_PLACE) return EPITAPH_SCOPE_HAS_NO_PLACE;
    return epitaph_scope_find(value) == NULL ? EPITAPH_SCOPE_NOT_KNOWN : EPITAPH_SCOPE_FOUND;
}

static epitaph_scope_search search_values(reader read, const epitaph_task_layout *layout,
                                          uint64_t task, uint64_t *token) {
    size_t token_word = layout->token_offset / sizeof(uint64_t);
    size_t item_bytes = (token_word + 2) * sizeof(uint64_t);
    if (token_word + 2 > ITEM_WORD_LIMIT) return EPITAPH_SCOPE_NOT_KNOWN;
    uint64_t item;
    if (!read_word(read, task + layout->head_offset, &item)) return EPITAPH_SCOPE_NOT_KNOWN;
    for (int i = 0; i < ITEM_LIMIT; i++) {
        if (item == 0) return EPITAPH_SCOPE_NONE;
        uint64_t words[ITEM_WORD_LIMIT];
        epitaph_bytes_zero(words, sizeof words);
        // An item of another kind may be shorter, and end at a page that is not there.
        size_t count = read(words, item, read == load ? 3 * sizeof *words : item_bytes);
        if (count < sizeof *words) return EPITAPH_SCOPE_NOT_KNOWN;
        uint64_t tag = words[0] & EPITAPH_TASK_TAG_MASK;
        if (is_tag_of_value(layout, tag)) {
            bool is_scope = words[1] == layout->key && words[2] == layout->value_type;
            if (is_scope && read == load) count = read(words, item, item_bytes);
            if (is_scope && count < item_bytes) return EPITAPH_SCOPE_NOT_KNOWN;
            if (is_scope) return take_token(words[token_word], words[token_word + 1], token);
        } else if (tag != layout->parent_tag) {
            return EPITAPH_SCOPE_NOT_KNOWN;
        }
        item = words[0] & ~(uint64_t)EPITAPH_TASK_TAG_MASK;
    }
    return EPITAPH_SCOPE_NOT_KNOWN;
}

/// For code outside of tasks.
static epitaph_scope_search search_thread(reader read, uint64_t thread_pointer, int32_t tid,
                                          uint64_t *token) {
    const epitaph_scope_table *table = &epitaph_scopes_now;
    if (__atomic_load_n(&table->has_thread_word, __ATOMIC_ACQUIRE) == 0) return EPITAPH_SCOPE_NONE;
    uint64_t value;
    uint64_t address = thread_pointer + (uint64_t)table->thread_word_offset;
    if (!read_word(read, address, &value)) return EPITAPH_SCOPE_NOT_KNOWN;
    if (value == 0) return EPITAPH_SCOPE_NONE;
    if (value == EPITAPH_SCOPE_WITHOUT_PLACE) return EPITAPH_SCOPE_HAS_NO_PLACE;
    const epitaph_scope *scope = epitaph_scope_find(value);
    // A thread made by clone(2) without its own thread-local memory reads its parent's.
    if (scope == NULL || scope->tid != tid) return EPITAPH_SCOPE_NOT_KNOWN;
    *token = value;
    return EPITAPH_SCOPE_FOUND;
}

static epitaph_scope_search find(reader read, uint64_t thread_pointer, int32_t tid,
                                 uint64_t *token) {
    const epitaph_scope_table *table = &epitaph_scopes_now;
    *token = 0;
    if (__atomic_load_n(&table->is_used, __ATOMIC_ACQUIRE) == 0) return EPITAPH_SCOPE_NONE;
    if (thread_pointer == 0) return EPITAPH_SCOPE_NOT_KNOWN;
    // No concurrency runtime, no tasks.
    if (epitaph_capture_settings_now.facts.concurrency_start == 0) {
        return search_thread(read, thread_pointer, tid, token);
    }
    bool is_proved = __atomic_load_n(&table->has_layout, __ATOMIC_ACQUIRE) != 0 &&
                     __atomic_load_n(&table->layout_is_wrong, __ATOMIC_ACQUIRE) == 0;
    if (!is_proved) return EPITAPH_SCOPE_NOT_KNOWN;
    uint64_t task;
    uint64_t address = thread_pointer + (uint64_t)table->layout.task_word_offset;
    if (!read_word(read, address, &task)) return EPITAPH_SCOPE_NOT_KNOWN;
    return task == 0 ? search_thread(read, thread_pointer, tid, token)
                     : search_values(read, &table->layout, task, token);
}

epitaph_scope_search epitaph_current_scope_find(uint64_t thread_pointer, int32_t tid,
                                                uint64_t *token) {
    return find(epitaph_memory_read, thread_pointer, tid, token);
}

// The thread runs the task, so its memory and that of its values is there.
bool epitaph_own_scope_find(uint64_t thread_pointer, int32_t tid, uint64_t *token) {
    return find(load, thread_pointer, tid, token) == EPITAPH_SCOPE_FOUND;
}
