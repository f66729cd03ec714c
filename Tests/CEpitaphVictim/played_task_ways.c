// SPDX-License-Identifier: Apache-2.0
//
// Ways to die in a task of a runtime that this program plays: memory laid out as Swift's runtime
// does it, and a thread-local word with the running task. Swift cannot be built for every
// architecture here; where tasks and scopes are found can be tried out without it.

#include "crashes.h"
#include "ways.h"

#include <epitaph.h>
#include <epitaph_scopes.h>
#include <epitaph_settings.h>
#include <epitaph_swift_calls.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

// choices/task_layout.h of CEpitaph
extern void epitaph_task_trial_begin_in(uint64_t key, const void *code);

enum {
    VALUE_TAG = 0,
    PARENT_TAG = 1,
    GROUP_TAG = 2,
    /// Swift's runtime has others.
    HEAD_WORD = 9,
    OTHER_HEAD_WORD = 11,
};

typedef struct item {
    uint64_t next_and_tag;
    uint64_t variable;
    uint64_t type;
    uint64_t token;
    uint64_t check;
} item;

typedef struct task {
    uint64_t words[64];
} task;

/// Words around it, which are never the task.
static __thread volatile uint64_t before = 1;
static __thread const task *volatile running;
static __thread volatile uint64_t behind = 2;

static const uint64_t variable = 1;
static const uint64_t type = 2;

static item value(uint64_t token, const item *next, uint64_t tag) {
    return (item){(uint64_t)next | tag, (uint64_t)&variable, (uint64_t)&type, token,
                  epitaph_scope_check_word(token)};
}

static void see(epitaph_task_view view, task *task, int head, const void *first, uint64_t token) {
    task->words[head] = (uint64_t)first;
    running = task;
    epitaph_task_trial_see(view, (uint64_t)task, token);
    running = NULL;
}

static void *try_out(void *argument) {
    int head = *(const int *)argument;
    task own, child;
    memset(&own, 0, sizeof own);
    memset(&child, 0, sizeof child);
    before++;
    behind++;
    epitaph_task_trial_begin_in((uint64_t)&variable, (const void *)try_out);
    item first = value(0x1ffff, NULL, VALUE_TAG);
    item second = value(0x2ffff, &first, VALUE_TAG);
    item of_group = value(0x3ffff, &first, GROUP_TAG);
    uint64_t of_child[5] = {(uint64_t)&first | PARENT_TAG};
    see(EPITAPH_TASK_VIEW_VALUE, &own, head, &first, 0x1ffff);
    see(EPITAPH_TASK_VIEW_SECOND_VALUE, &own, head, &second, 0x2ffff);
    see(EPITAPH_TASK_VIEW_GROUP_VALUE, &own, head, &of_group, 0x3ffff);
    see(EPITAPH_TASK_VIEW_CHILD, &child, head, of_child, 0x1ffff);
    see(EPITAPH_TASK_VIEW_EMPTY, &own, head, NULL, 0);
    epitaph_task_trial_end();
    return NULL;
}

static void try_out_in_thread(int head) {
    pthread_t thread;
    pthread_create(&thread, NULL, try_out, &head);
    pthread_join(thread, NULL);
}

static uint64_t make_scope(void) {
    epitaph_named_attribute attribute = {.name = "request", .name_bytes = 7};
    attribute.value.type = EPITAPH_ATTRIBUTE_STRING;
    attribute.value.string = "of the task";
    attribute.value.string_bytes = strlen(attribute.value.string);
    return epitaph_scope_make(0, &attribute, 1);
}

static void play_runtime(void) {
    // As if its functions were those of a runtime.
    epitaph_capture_settings_now.facts.concurrency_start = (uint64_t)(const void *)try_out;
    epitaph_capture_settings_now.facts.concurrency_end = (uint64_t)(const void *)try_out + 1;
    epitaph_attribute_set_string("request", "of the process");
}

/// In a child of a task with a scope, which set another value since.
static void die_in_child(void) {
    static const uint64_t other_variable = 3;
    static task child;
    static item of_parent, other;
    static uint64_t of_child[5];
    of_parent = value(make_scope(), NULL, VALUE_TAG);
    of_child[0] = (uint64_t)&of_parent | PARENT_TAG;
    other =
        (item){(uint64_t)of_child | VALUE_TAG, (uint64_t)&other_variable, (uint64_t)&type, 4, 5};
    child.words[HEAD_WORD] = (uint64_t)&other;
    running = &child;
    crash("null-write");
}

WAY crash_in_played_task(void) {
    play_runtime();
    try_out_in_thread(HEAD_WORD);
    try_out_in_thread(HEAD_WORD);
    if (epitaph_task_scopes_are_proved() == 0) _exit(90);
    die_in_child();
}

WAY crash_in_played_task_without_proof(void) {
    play_runtime();
    try_out_in_thread(HEAD_WORD);
    try_out_in_thread(OTHER_HEAD_WORD);
    if (epitaph_task_scopes_are_proved() != 0) _exit(90);
    die_in_child();
}

/// A record of a kind that no trial has seen.
WAY crash_in_played_task_of_unknown_kind(void) {
    static task own;
    static item strange;
    play_runtime();
    try_out_in_thread(HEAD_WORD);
    try_out_in_thread(HEAD_WORD);
    strange = value(make_scope(), NULL, 5);
    own.words[HEAD_WORD] = (uint64_t)&strange;
    running = &own;
    crash("null-write");
}

const way played_task_ways[] = {
    {"played-task", crash_in_played_task},
    {"played-task-unproved", crash_in_played_task_without_proof},
    {"played-task-strange", crash_in_played_task_of_unknown_kind},
    {NULL, NULL},
};
