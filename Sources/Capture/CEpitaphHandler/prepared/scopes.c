// SPDX-License-Identifier: Apache-2.0
//
// A token has its scope's place and a number unique to each scope, so an old token finds nothing.

#include "epitaph_scopes.h"

#include "system/bytes.h"

enum { ATTEMPT_LIMIT = 1000 };

_Static_assert(sizeof(epitaph_scope) == 8192, "scopes are whole pages");
_Static_assert(sizeof(epitaph_breadcrumb_ring) +
                       EPITAPH_SCOPE_BREADCRUMB_LIMIT * sizeof(epitaph_breadcrumb_slot) ==
                   EPITAPH_SCOPE_RING_SIZE,
               "the ring fits");
_Static_assert(EPITAPH_SCOPE_LIMIT < EPITAPH_SCOPE_PLACE_MASK, "no place is that of no place");

epitaph_scope_table epitaph_scopes_now;

epitaph_scope *epitaph_scope_find(uint64_t token) {
    uint64_t place = token & EPITAPH_SCOPE_PLACE_MASK;
    if (place == 0 || place > EPITAPH_SCOPE_LIMIT) return NULL;
    epitaph_scope *block = __atomic_load_n(
        &epitaph_scopes_now.blocks[(place - 1) / EPITAPH_SCOPE_BLOCK_SIZE], __ATOMIC_ACQUIRE);
    if (block == NULL) return NULL;
    epitaph_scope *scope = &block[(place - 1) % EPITAPH_SCOPE_BLOCK_SIZE];
    return __atomic_load_n(&scope->token, __ATOMIC_ACQUIRE) == token ? scope : NULL;
}

// Touches only the used bytes.
bool epitaph_scope_attributes_copy(const epitaph_scope *scope, uint64_t token,
                                   epitaph_scope_attributes *copy) {
    for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
        uint32_t current = __atomic_load_n(&scope->current, __ATOMIC_ACQUIRE);
        const epitaph_scope_attributes *from = &scope->attributes[current & 1];
        uint32_t count = __atomic_load_n(&from->record_bytes, __ATOMIC_RELAXED);
        copy->record_bytes = count < sizeof copy->records ? count : sizeof copy->records;
        copy->left_out_count = from->left_out_count;
        epitaph_bytes_copy(copy->records, from->records, copy->record_bytes);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&scope->token, __ATOMIC_RELAXED) != token) return false;
        if (__atomic_load_n(&scope->current, __ATOMIC_RELAXED) == current) return true;
    }
    return false;
}

epitaph_work_layout epitaph_work_layout_now;
