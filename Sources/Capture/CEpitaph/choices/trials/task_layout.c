// SPDX-License-Identifier: Apache-2.0
//
// Finds by trial where the Swift runtime keeps a thread's current task and the task's values:
// docs/decisions/finding-the-task.md. It assumes only that a word of the runtime's TLS is the task,
// a word of the task its latest value, and that a value begins with {next and a tag, variable,
// type}. Inconsistent observations leave no layout.

#include "choices/trials/trials.h"

#include "base/base.h"
#include "epitaph_scopes.h"
#include "epitaph_swift_calls.h"

#include <string.h>

enum {
    TASK_WORDS = 64,
    ITEM_WORDS = 10,
    /// A value follows the head of its item.
    FIRST_VALUE_WORD = 3,
    CANDIDATE_LIMIT = 16,
};

/// A possible path from a task to the token.
typedef struct candidate {
    bool is_out;
    uint64_t item;
    epitaph_task_layout layout;
} candidate;

static struct {
    bool is_wrong;
    uint64_t key;
    uint32_t seen_views;
    uint32_t candidate_count;
    candidate candidates[CANDIDATE_LIMIT];
} trial;

// In libswift_Concurrency.
extern void swift_job_run(void) __attribute__((weak));

static epitaph_runtime_words words_of_thread;

static epitaph_task_layout earlier_layout;
static bool has_earlier_layout;

static const uint64_t tag_mask = EPITAPH_TASK_TAG_MASK;

void epitaph_task_trial_begin_in(uint64_t key, const void *code) {
    memset(&trial, 0, sizeof trial);
    trial.key = key;
    epitaph_runtime_words_begin(&words_of_thread, code);
    epitaph_task_name_trial_begin();
}

void epitaph_task_trial_begin(uint64_t key) {
    epitaph_task_trial_begin_in(key, (const void *)swift_job_run);
}

static bool read_item(uint64_t task, uint64_t head_offset, uint64_t *item,
                      uint64_t words[ITEM_WORDS]) {
    uint64_t head;
    if (epitaph_readable_copy(&head, task + head_offset, sizeof head) < sizeof head) return false;
    *item = head & ~tag_mask;
    memset(words, 0, ITEM_WORDS * sizeof *words);
    return *item != 0 &&
           epitaph_readable_copy(words, *item, ITEM_WORDS * sizeof *words) >= sizeof *words;
}

static bool has_token(const uint64_t words[ITEM_WORDS], size_t place, uint64_t token) {
    return words[place] == token && words[place + 1] == (token ^ EPITAPH_SCOPE_CHECK);
}

/// The task has exactly one value, so the chain ends with it.
static void find_candidates(uint64_t task, uint64_t token) {
    for (uint64_t i = 0; i < TASK_WORDS; i++) {
        uint64_t item;
        uint64_t words[ITEM_WORDS];
        if (!read_item(task, i * sizeof *words, &item, words)) continue;
        if (words[1] != trial.key || words[2] == 0 || (words[0] & ~tag_mask) != 0) continue;
        for (size_t j = FIRST_VALUE_WORD; j + 1 < ITEM_WORDS; j++) {
            if (!has_token(words, j, token)) continue;
            if (trial.candidate_count == CANDIDATE_LIMIT) {
                trial.is_wrong = true;
                return;
            }
            candidate *found = &trial.candidates[trial.candidate_count++];
            found->item = item;
            found->layout.head_offset = i * sizeof *words;
            found->layout.token_offset = j * sizeof *words;
            found->layout.key = words[1];
            found->layout.value_type = words[2];
            found->layout.value_tag = words[0] & tag_mask;
        }
    }
}

static bool is_value_before(const candidate *candidate, const uint64_t words[ITEM_WORDS],
                            uint64_t token) {
    return words[1] == trial.key && words[2] == candidate->layout.value_type &&
           (words[0] & ~tag_mask) == candidate->item &&
           has_token(words, candidate->layout.token_offset / sizeof *words, token);
}

static bool agrees(candidate *candidate, epitaph_task_view view, uint64_t task, uint64_t token) {
    uint64_t item;
    uint64_t words[ITEM_WORDS];
    bool has_item = read_item(task, candidate->layout.head_offset, &item, words);
    if (view == EPITAPH_TASK_VIEW_EMPTY) return !has_item;
    if (!has_item || item == candidate->item) return false;
    uint64_t tag = words[0] & tag_mask;
    switch (view) {
    case EPITAPH_TASK_VIEW_SECOND_VALUE:
        return tag == candidate->layout.value_tag && is_value_before(candidate, words, token);
    case EPITAPH_TASK_VIEW_GROUP_VALUE:
        candidate->layout.group_tag = tag;
        return is_value_before(candidate, words, token);
    case EPITAPH_TASK_VIEW_CHILD:
        candidate->layout.parent_tag = tag;
        return tag != candidate->layout.value_tag && (words[0] & ~tag_mask) == candidate->item;
    case EPITAPH_TASK_VIEW_VALUE:
    case EPITAPH_TASK_VIEW_EMPTY: break;
    }
    return false;
}

void epitaph_task_trial_see(epitaph_task_view view, uint64_t task, uint64_t token) {
    epitaph_runtime_words_see(&words_of_thread, task);
    bool is_first = view == EPITAPH_TASK_VIEW_VALUE;
    // Each view is seen once, VALUE first.
    if ((trial.seen_views & 1U << view) != 0 || is_first != (trial.seen_views == 0)) {
        trial.is_wrong = true;
    }
    trial.seen_views |= 1U << view;
    if (is_first) return find_candidates(task, token);
    for (uint32_t i = 0; i < trial.candidate_count; i++) {
        candidate *candidate = &trial.candidates[i];
        if (!candidate->is_out && !agrees(candidate, view, task, token)) candidate->is_out = true;
    }
}

/// Returns the only candidate that fits all observations.
static const epitaph_task_layout *only_candidate(void) {
    static const uint32_t all_views = 1U << EPITAPH_TASK_VIEW_VALUE |
                                      1U << EPITAPH_TASK_VIEW_SECOND_VALUE |
                                      1U << EPITAPH_TASK_VIEW_GROUP_VALUE |
                                      1U << EPITAPH_TASK_VIEW_CHILD | 1U << EPITAPH_TASK_VIEW_EMPTY;
    const epitaph_task_layout *only = NULL;
    if (trial.is_wrong || trial.seen_views != all_views) return NULL;
    for (uint32_t i = 0; i < trial.candidate_count; i++) {
        const candidate *candidate = &trial.candidates[i];
        if (candidate->is_out) continue;
        if (only != NULL) return NULL;
        only = &candidate->layout;
    }
    if (only != NULL && only->group_tag == only->parent_tag) return NULL;
    return only;
}

static bool are_equal(const epitaph_task_layout *a, const epitaph_task_layout *b) {
    return a->task_word_offset == b->task_word_offset && a->head_offset == b->head_offset &&
           a->token_offset == b->token_offset && a->key == b->key &&
           a->value_type == b->value_type && a->value_tag == b->value_tag &&
           a->group_tag == b->group_tag && a->parent_tag == b->parent_tag;
}

int epitaph_task_trial_end(void) {
    epitaph_scope_table *table = &epitaph_scopes_now;
    const epitaph_task_layout *found = only_candidate();
    int64_t task_word_offset;
    if (!epitaph_runtime_words_end(&words_of_thread, &task_word_offset)) return 0;
    epitaph_task_name_trial_end(task_word_offset);
    if (found == NULL) return 0;
    epitaph_task_layout layout = *found;
    layout.task_word_offset = task_word_offset;
    if (!has_earlier_layout) {
        earlier_layout = layout;
        has_earlier_layout = true;
        return 1;
    }
    if (!are_equal(&layout, &earlier_layout)) {
        __atomic_store_n(&table->layout_is_wrong, 1, __ATOMIC_RELEASE);
        return 0;
    }
    if (__atomic_load_n(&table->has_layout, __ATOMIC_ACQUIRE) == 0) {
        table->layout = layout;
        __atomic_store_n(&table->has_layout, 1, __ATOMIC_RELEASE);
    }
    return 1;
}

static int are_proved(void) {
    return __atomic_load_n(&epitaph_scopes_now.has_layout, __ATOMIC_ACQUIRE) != 0 &&
           __atomic_load_n(&epitaph_scopes_now.layout_is_wrong, __ATOMIC_ACQUIRE) == 0;
}

int epitaph_task_scopes_are_proved(void) {
    return are_proved();
}

// These loads are valid: the task runs in this thread and its latest value is the scope's.
void epitaph_task_scope_check(uint64_t task, uint64_t token) {
    if (!are_proved()) return;
    const epitaph_task_layout *layout = &epitaph_scopes_now.layout;
    const char *thread = __builtin_thread_pointer();
    uint64_t running = *(const uint64_t *)(const void *)(thread + layout->task_word_offset);
    bool is_right = running == task;
    if (is_right) {
        uint64_t item = *(const uint64_t *)(task + layout->head_offset) & ~tag_mask;
        const uint64_t *value = (const uint64_t *)(item + layout->token_offset);
        is_right = item != 0 && value[0] == token && value[1] == (token ^ EPITAPH_SCOPE_CHECK);
    }
    if (!is_right) __atomic_store_n(&epitaph_scopes_now.layout_is_wrong, 1, __ATOMIC_RELEASE);
}
