// SPDX-License-Identifier: Apache-2.0
//
// Functions used of libunwind-x86_64.so.8. Include after the types.
#pragma once

#include "../include/epitaph_loaded_library.h"

// _Ux86_64_dwarf_search_unwind_table finds the procedure of `ip` in a binary search table through
// the accessors. Declared only in private headers (include/dwarf.h of libunwind 1.6.2).
#define EPITAPH_UNWIND_CALLS(CALL, OWN)                                                           \
    OWN(unw_addr_space_t, _Ux86_64_create_addr_space,                                             \
        (unw_accessors_t * accessors, int byte_order))                                            \
    CALL(void, _Ux86_64_destroy_addr_space, (unw_addr_space_t space), (space))                    \
    CALL(int, _Ux86_64_get_reg, (unw_cursor_t * cursor, int number, unw_word_t *value),           \
         (cursor, number, value))                                                                 \
    CALL(int, _Ux86_64_init_remote,                                                               \
         (unw_cursor_t * cursor, unw_addr_space_t space, void *argument),                         \
         (cursor, space, argument))                                                               \
    CALL(int, _Ux86_64_set_caching_policy, (unw_addr_space_t space, unw_caching_policy_t policy), \
         (space, policy))                                                                         \
    CALL(int, _Ux86_64_step, (unw_cursor_t * cursor), (cursor))                                   \
    CALL(int, _Ux86_64_dwarf_search_unwind_table,                                                 \
         (unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t * table,                          \
          unw_proc_info_t * procedure, int needs_unwind_info, void *argument),                    \
         (space, ip, table, procedure, needs_unwind_info, argument))

EPITAPH_UNWIND_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
