// SPDX-License-Identifier: Apache-2.0
//
// libunwind for remote unwinding of x86_64 stacks, of dumps and not of this machine; without it, as
// on other processors, our own CFI reader takes every step. docs/decisions/code.md,
// docs/decisions/unwinding.md. Call _Ux86_64_create_addr_space first: it loads the library, and
// fails if that fails.
//
// Never link libunwind.so itself: it replaces libgcc_s' _Unwind_* and makes C++ throws forty times
// slower. It is loaded as a dependency, but with RTLD_LOCAL, which replaces nothing.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define _Ux86_64_create_addr_space epitaph_Ux86_64_create_addr_space
#define _Ux86_64_destroy_addr_space epitaph_Ux86_64_destroy_addr_space
#define _Ux86_64_dwarf_search_unwind_table epitaph_Ux86_64_dwarf_search_unwind_table
#define _Ux86_64_get_reg epitaph_Ux86_64_get_reg
#define _Ux86_64_init_remote epitaph_Ux86_64_init_remote
#define _Ux86_64_set_caching_policy epitaph_Ux86_64_set_caching_policy
#define _Ux86_64_step epitaph_Ux86_64_step
#define unw_accessors epitaph_unw_accessors
#define unw_accessors_t epitaph_unw_accessors_t
#define unw_addr_space_t epitaph_unw_addr_space_t
#define unw_caching_policy_t epitaph_unw_caching_policy_t
#define unw_cursor epitaph_unw_cursor
#define unw_cursor_t epitaph_unw_cursor_t
#define unw_dyn_info epitaph_unw_dyn_info
#define unw_dyn_info_format_t epitaph_unw_dyn_info_format_t
#define unw_dyn_info_t epitaph_unw_dyn_info_t
#define unw_dyn_remote_table_info epitaph_unw_dyn_remote_table_info
#define unw_dyn_remote_table_info_t epitaph_unw_dyn_remote_table_info_t
#define unw_error_t epitaph_unw_error_t
#define unw_proc_info epitaph_unw_proc_info
#define unw_proc_info_t epitaph_unw_proc_info_t
#define unw_regnum_t epitaph_unw_regnum_t
#define unw_word_t epitaph_unw_word_t

#include "../declared/epitaph_unwind_types.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
#define EPITAPH_ENUM(name, values) typedef enum { values } name;
EPITAPH_UNWIND_ENUMS(EPITAPH_ENUM, EPITAPH_ENUMERATOR)
#undef EPITAPH_ENUM
#undef EPITAPH_ENUMERATOR

#include "../declared/epitaph_unwind_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_unwind_problem(void);

#pragma GCC visibility pop
