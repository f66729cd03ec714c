// SPDX-License-Identifier: Apache-2.0
//
// A task has a chain of status records: cancellation handler, group, name. The trial assumes only
// that a word of the task leads to the latest record, that the lowest byte is the kind, and that
// words of a record lead to the text and to the previous record.

#include "choices/trials/trials.h"

#include "base/base.h"
#include "epitaph_scopes.h"
#include "epitaph_swift_calls.h"

#include <string.h>

enum {
    TASK_WORDS = 64,
    RECORD_WORDS = 6,
    CANDIDATE_LIMIT = 16,
    NAME_LIMIT = 64,
    KIND_MASK = 0xff,
    POINTER_TAG_MASK = 7,
};

typedef struct candidate {
    uint64_t record;
    bool has_next;
    bool is_out;
    epitaph_task_name_layout layout;
} candidate;

static struct {
    uint32_t candidate_count;
    candidate candidates[CANDIDATE_LIMIT];
} trial;

static epitaph_task_name_layout earlier;
static bool has_earlier;

void epitaph_task_name_trial_begin(void) {
    memset(&trial, 0, sizeof trial);
}

static bool read_record(uint64_t task, uint64_t offset, uint64_t *record,
                        uint64_t words[RECORD_WORDS]) {
    uint64_t head;
    if (epitaph_readable_copy(&head, task + offset, sizeof head) < sizeof head) return false;
    *record = head & ~(uint64_t)POINTER_TAG_MASK;
    memset(words, 0, RECORD_WORDS * sizeof *words);
    return *record != 0 &&
           epitaph_readable_copy(words, *record, RECORD_WORDS * sizeof *words) >= sizeof *words;
}

static bool is_text(uint64_t address, const char *name) {
    char text[NAME_LIMIT];
    size_t size = strlen(name) + 1;
    return address != 0 && size <= sizeof text &&
           epitaph_readable_copy(text, address, size) == size && memcmp(text, name, size) == 0;
}

void epitaph_task_trial_see_name(uint64_t task, const char *name) {
    for (uint64_t i = 0; i < TASK_WORDS; i++) {
        uint64_t record;
        uint64_t words[RECORD_WORDS];
        if (!read_record(task, i * sizeof *words, &record, words)) continue;
        for (size_t j = 1; j < RECORD_WORDS; j++) {
            if (!is_text(words[j], name) || trial.candidate_count == CANDIDATE_LIMIT) continue;
            candidate *found = &trial.candidates[trial.candidate_count++];
            found->record = record;
            found->layout.record_offset = i * sizeof *words;
            found->layout.text_offset = j * sizeof *words;
            found->layout.name_kind = words[0] & KIND_MASK;
        }
    }
}

/// Whether the latest record is now another one, and exactly one of its words leads to the name's.
static bool find_next(candidate *candidate, uint64_t task) {
    uint64_t record;
    uint64_t words[RECORD_WORDS];
    if (!read_record(task, candidate->layout.record_offset, &record, words)) return false;
    if (record == candidate->record || (words[0] & KIND_MASK) == candidate->layout.name_kind) {
        return false;
    }
    uint32_t count = 0;
    for (size_t k = 1; k < RECORD_WORDS; k++) {
        if ((words[k] & ~(uint64_t)POINTER_TAG_MASK) != candidate->record) continue;
        candidate->layout.next_offset = k * sizeof *words;
        count++;
    }
    candidate->has_next = count == 1;
    return candidate->has_next;
}

void epitaph_task_trial_see_record_before_name(uint64_t task) {
    for (uint32_t i = 0; i < trial.candidate_count; i++) {
        if (!find_next(&trial.candidates[i], task)) trial.candidates[i].is_out = true;
    }
}

static const candidate *only_candidate(void) {
    const candidate *only = NULL;
    for (uint32_t i = 0; i < trial.candidate_count; i++) {
        const candidate *candidate = &trial.candidates[i];
        if (candidate->is_out || !candidate->has_next) continue;
        if (only != NULL) return NULL;
        only = candidate;
    }
    return only;
}

static bool are_equal(const epitaph_task_name_layout *a, const epitaph_task_name_layout *b) {
    return a->task_word_offset == b->task_word_offset && a->record_offset == b->record_offset &&
           a->next_offset == b->next_offset && a->text_offset == b->text_offset &&
           a->name_kind == b->name_kind;
}

void epitaph_task_name_trial_end(int64_t task_word_offset) {
    const candidate *found = only_candidate();
    if (found == NULL) return;
    epitaph_task_name_layout layout = found->layout;
    layout.task_word_offset = task_word_offset;
    if (has_earlier && are_equal(&layout, &earlier)) {
        epitaph_work_layout_now.task_name = layout;
        __atomic_store_n(&epitaph_work_layout_now.has_task_names, 1, __ATOMIC_RELEASE);
    }
    earlier = layout;
    has_earlier = true;
}
