// SPDX-License-Identifier: Apache-2.0

#include "epitaph_unwind.h"

#include "epitaph_loaded_library.h"

/// What is called of libunwind-x86_64.so.8.
#define UNWIND_FUNCTIONS(FUNCTION)               \
    FUNCTION(_Ux86_64_create_addr_space)         \
    FUNCTION(_Ux86_64_destroy_addr_space)        \
    FUNCTION(_Ux86_64_dwarf_search_unwind_table) \
    FUNCTION(_Ux86_64_get_reg)                   \
    FUNCTION(_Ux86_64_init_remote)               \
    FUNCTION(_Ux86_64_set_caching_policy)        \
    FUNCTION(_Ux86_64_step)

EPITAPH_LIBRARY("libunwind-x86_64.so.8", UNWIND_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_unwind_problem, load_library)

unw_addr_space_t _Ux86_64_create_addr_space(unw_accessors_t *accessors, int byte_order) {
    if (epitaph_unwind_problem() != NULL) return NULL;
    return library._Ux86_64_create_addr_space(accessors, byte_order);
}

void _Ux86_64_destroy_addr_space(unw_addr_space_t space) {
    library._Ux86_64_destroy_addr_space(space);
}

int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
                                       unw_proc_info_t *procedure, int needs_unwind_info,
                                       void *argument) {
    return library._Ux86_64_dwarf_search_unwind_table(space, ip, table, procedure,
                                                      needs_unwind_info, argument);
}

int _Ux86_64_get_reg(unw_cursor_t *cursor, int number, unw_word_t *value) {
    return library._Ux86_64_get_reg(cursor, number, value);
}

int _Ux86_64_init_remote(unw_cursor_t *cursor, unw_addr_space_t space, void *argument) {
    return library._Ux86_64_init_remote(cursor, space, argument);
}

int _Ux86_64_set_caching_policy(unw_addr_space_t space, unw_caching_policy_t policy) {
    return library._Ux86_64_set_caching_policy(space, policy);
}

int _Ux86_64_step(unw_cursor_t *cursor) {
    return library._Ux86_64_step(cursor);
}
