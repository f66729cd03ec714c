// SPDX-License-Identifier: Apache-2.0
//
// TASK_SCOPE, the innermost scope first: of attributes with the same name the first counts.

#include "sections/sections.h"

#include "epitaph_scopes.h"
#include "threads/threads.h"

_Static_assert(sizeof(epitaph_scope_attributes) <= EPITAPH_SCRATCH_SIZE,
               "a copy fits into the scratch");

static void write_attributes(epitaph_capture *capture, const epitaph_scope *scope, uint64_t token) {
    epitaph_scope_attributes *copy = (epitaph_scope_attributes *)capture->scratch;
    if (!epitaph_scope_attributes_copy(scope, token, copy)) {
        epitaph_damage_add(capture, EPITAPH_KEY_SCOPE_ATTRIBUTES, EPITAPH_WHY_HALF_WRITTEN, 0, 0);
        return;
    }
    epitaph_attributes_write(&capture->writer, EPITAPH_KEY_SCOPE_ATTRIBUTES, copy->records,
                             copy->record_bytes);
    if (copy->left_out_count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_SCOPE_ATTRIBUTES, EPITAPH_WHY_TOO_MANY, 0,
                           copy->left_out_count);
    }
}

static void write_scopes(epitaph_capture *capture, uint64_t token) {
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_TASK_SCOPE);
    int depth = 0;
    while (token != 0) {
        epitaph_scope *scope = epitaph_scope_find(token);
        if (depth++ == EPITAPH_SCOPE_DEPTH_LIMIT || scope == NULL) {
            bool has_no_place = scope == NULL && token == EPITAPH_SCOPE_WITHOUT_PLACE;
            epitaph_damage_add(
                capture, EPITAPH_KEY_TASK_SCOPE,
                scope == NULL && !has_no_place ? EPITAPH_WHY_UNPROVEN : EPITAPH_WHY_TOO_MANY, 0, 0);
            break;
        }
        uint64_t parent = scope->parent;
        write_attributes(capture, scope, token);
        epitaph_breadcrumb_ring_write(capture, EPITAPH_KEY_SCOPE_BREADCRUMBS,
                                      epitaph_scope_ring(scope));
        token = parent;
    }
    epitaph_writer_end(&capture->writer);
}

void epitaph_scope_write(epitaph_capture *capture) {
    if (__atomic_load_n(&epitaph_scopes_now.is_used, __ATOMIC_ACQUIRE) == 0) return;
    uint64_t thread_pointer = epitaph_registers_thread_pointer();
    if (thread_pointer == 0 && !capture->is_silent) {
        thread_pointer = epitaph_sys_thread_data_address();
    }
    uint64_t token;
    switch (epitaph_current_scope_find(thread_pointer, capture->tid, &token)) {
    case EPITAPH_SCOPE_NONE: break;
    case EPITAPH_SCOPE_FOUND: write_scopes(capture, token); break;
    case EPITAPH_SCOPE_HAS_NO_PLACE:
        epitaph_damage_add(capture, EPITAPH_KEY_TASK_SCOPE, EPITAPH_WHY_TOO_MANY, 0, 0);
        break;
    case EPITAPH_SCOPE_NOT_KNOWN:
        epitaph_damage_add(capture, EPITAPH_KEY_TASK_SCOPE, EPITAPH_WHY_UNPROVEN, 0, 0);
        break;
    }
}
