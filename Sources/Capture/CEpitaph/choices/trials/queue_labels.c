// SPDX-License-Identifier: Apache-2.0
//
// libdispatch exports the offset of a queue's label for debuggers (dispatch_queue_offsets,
// src/queue_internal.h of swift-corelibs-libdispatch). A trial with our own queues finds the TLS
// word that holds a thread's current queue.

#include "choices/trials/trials.h"
#include "epitaph_scopes.h"
#include "epitaph_swift_calls.h"

#include <string.h>

typedef struct queue_offsets {
    uint16_t version;
    uint16_t label;
    uint16_t label_size;
} queue_offsets;

extern const queue_offsets dispatch_queue_offsets __attribute__((weak));
extern void *dispatch_queue_create(const char *label, void *attributes) __attribute__((weak));
extern void dispatch_sync_f(void *queue, void *context, void (*work)(void *)) __attribute__((weak));
extern void dispatch_release(void *queue) __attribute__((weak));
extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

static epitaph_runtime_words words;
static bool has_label;
static epitaph_queue_layout earlier;
static bool has_earlier;

static const char trial_label[] = "epitaph-trial";

static bool has_libdispatch(void) {
    return &dispatch_queue_offsets != NULL && dispatch_queue_create != NULL &&
           dispatch_sync_f != NULL && dispatch_release != NULL && dispatch_queue_get_label != NULL;
}

static void see_queue(void *queue) {
    epitaph_runtime_words_see(&words, (uint64_t)queue);
    const char *label;
    memcpy(&label, (const char *)queue + dispatch_queue_offsets.label, sizeof label);
    if (label != dispatch_queue_get_label(queue) || strcmp(label, trial_label) != 0) {
        has_label = false;
    }
}

static bool see_new_queue(void) {
    void *queue = dispatch_queue_create(trial_label, NULL);
    if (queue == NULL) return false;
    dispatch_sync_f(queue, queue, see_queue);
    dispatch_release(queue);
    return true;
}

static void try_out(void) {
    // Not dispatch_sync_f, because ThreadSanitizer interposes it.
    epitaph_runtime_words_begin(&words, (const void *)dispatch_queue_get_label);
    has_label = true;
    bool has_seen = see_new_queue();
    epitaph_queue_layout layout;
    memset(&layout, 0, sizeof layout);
    layout.label_offset = dispatch_queue_offsets.label;
    if (!epitaph_runtime_words_end(&words, &layout.queue_word_offset)) return;
    if (!has_seen || !has_label) return;
    if (has_earlier && memcmp(&layout, &earlier, sizeof layout) == 0) {
        epitaph_work_layout_now.queue = layout;
        __atomic_store_n(&epitaph_work_layout_now.has_queues, 1, __ATOMIC_RELEASE);
    }
    earlier = layout;
    has_earlier = true;
}

void epitaph_queue_trial(void) {
    static uint32_t is_under_way;
    if (!has_libdispatch() || dispatch_queue_offsets.label_size != sizeof(char *)) return;
    if (__atomic_load_n(&epitaph_work_layout_now.has_queues, __ATOMIC_ACQUIRE) != 0) return;
    // Another thread is already in a trial.
    if (__atomic_exchange_n(&is_under_way, 1, __ATOMIC_ACQ_REL) != 0) return;
    try_out();
    __atomic_store_n(&is_under_way, 0, __ATOMIC_RELEASE);
}
