// SPDX-License-Identifier: Apache-2.0
//
// A token says where its scope is and which one of all that were ever there, so an old token finds
// nothing.

#include "epitaph_scopes.h"

#include <stddef.h>

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
