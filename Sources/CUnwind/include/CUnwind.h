// SPDX-License-Identifier: Apache-2.0
//
// libunwind for other processes of x86_64, loaded when stacks are to be unwound: without it our own
// reading of call frame information does all of it. docs/decisions/libraries-when-needed.md.
//
// The names say x86_64 because dumps of that processor are what the library reads, not because of
// the machine this is compiled on. Debian has the library on x86_64 alone: on aarch64 it is not
// found, and our own reader takes every step. docs/decisions/two-readers-of-call-frames.md.
//
// Never libunwind.so itself: that library replaces libgcc_s' _Unwind_* and makes every C++ throw
// forty times slower. It comes along, but what is loaded with RTLD_LOCAL replaces nothing.
//
// The calls are the library's own, declared by us so that its headers need not be there; each that
// is used is listed here and in the table of unwind.c. _Ux86_64_create_addr_space is the first of
// them, loads the library and fails where that fails.
#pragma once

#pragma redefine_extname _Ux86_64_create_addr_space epitaph_Ux86_64_create_addr_space
#pragma redefine_extname _Ux86_64_destroy_addr_space epitaph_Ux86_64_destroy_addr_space
#pragma redefine_extname _Ux86_64_dwarf_search_unwind_table \
    epitaph_Ux86_64_dwarf_search_unwind_table
#pragma redefine_extname _Ux86_64_get_reg epitaph_Ux86_64_get_reg
#pragma redefine_extname _Ux86_64_init_remote epitaph_Ux86_64_init_remote
#pragma redefine_extname _Ux86_64_set_caching_policy epitaph_Ux86_64_set_caching_policy
#pragma redefine_extname _Ux86_64_step epitaph_Ux86_64_step

#include "unwind_constants.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
#define EPITAPH_ENUM(name, values) typedef enum { values } name;
EPITAPH_UNWIND_ENUMS(EPITAPH_ENUM, EPITAPH_ENUMERATOR)
#undef EPITAPH_ENUM
#undef EPITAPH_ENUMERATOR

#include "unwind_types.h"

#include "unwind_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_unwind_problem(void);

#pragma GCC visibility pop
