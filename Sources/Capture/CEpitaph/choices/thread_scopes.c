// SPDX-License-Identifier: Apache-2.0
//
// A thread's scope is in an initial-exec TLS word (ELF Handling For Thread-Local Storage, 4.1): its
// block lives as long as the thread and its offset from the thread pointer is the same in all
// threads, so a crash finds it without asking the dynamic linker.

#include "choices/choices.h"
#include "epitaph_scopes.h"
#include "epitaph_swift_calls.h"

#include <unistd.h>

static _Thread_local uint64_t own_scope __attribute__((tls_model("initial-exec")));

/// Nested scopes begun when there was no slot; without one they cannot store their outer scope.
static _Thread_local struct {
    uint64_t outer;
    uint32_t depth;
} without_place __attribute__((tls_model("initial-exec")));

static void publish_word(void) {
    if (__atomic_load_n(&epitaph_scopes_now.has_thread_word, __ATOMIC_ACQUIRE) != 0) return;
    int64_t offset = (int64_t)((char *)&own_scope - (char *)__builtin_thread_pointer());
    __atomic_store_n(&epitaph_scopes_now.thread_word_offset, offset, __ATOMIC_RELAXED);
    __atomic_store_n(&epitaph_scopes_now.has_thread_word, 1, __ATOMIC_RELEASE);
}

static uint64_t replace_scope(uint64_t token) {
    publish_word();
    uint64_t before = own_scope;
    epitaph_scope *scope = epitaph_scope_find(token);
    if (scope != NULL) scope->tid = (int32_t)gettid();
    __atomic_store_n(&own_scope, token, __ATOMIC_RELEASE);
    return before;
}

uint64_t epitaph_thread_scope_replace(uint64_t token) {
    return replace_scope(token);
}

epitaph_status epitaph_thread_scope_begin(const epitaph_named_attribute *attributes, size_t count) {
    if (own_scope == EPITAPH_SCOPE_WITHOUT_PLACE) {
        without_place.depth++;
        return EPITAPH_NO_ROOM;
    }
    uint64_t token = epitaph_scope_place_take(own_scope, attributes, count);
    uint64_t outer = replace_scope(token);
    if (token != EPITAPH_SCOPE_WITHOUT_PLACE) return EPITAPH_OK;
    without_place.outer = outer;
    without_place.depth = 1;
    return EPITAPH_NO_ROOM;
}

void epitaph_thread_scope_end(void) {
    uint64_t token = own_scope;
    if (token == EPITAPH_SCOPE_WITHOUT_PLACE) {
        if (without_place.depth > 0 && --without_place.depth > 0) return;
        replace_scope(without_place.outer);
        return;
    }
    epitaph_scope *scope = epitaph_scope_find(token);
    if (scope == NULL) return;
    replace_scope(scope->parent);
    epitaph_scope_place_give(token);
}

uint64_t epitaph_thread_scope(void) {
    return own_scope;
}
