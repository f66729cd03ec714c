// SPDX-License-Identifier: Apache-2.0
//
// capstone, loaded when instructions are to be decoded: without it a report has none.
// docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared here so that its headers need not be installed; each
// one that is used is listed here and in the library's table. cs_open is the first to be called: it
// loads the library, and fails if that fails.
#pragma once

#pragma redefine_extname cs_close epitaph_cs_close
#pragma redefine_extname cs_disasm epitaph_cs_disasm
#pragma redefine_extname cs_free epitaph_cs_free
#pragma redefine_extname cs_group_name epitaph_cs_group_name
#pragma redefine_extname cs_open epitaph_cs_open
#pragma redefine_extname cs_option epitaph_cs_option
#pragma redefine_extname cs_reg_name epitaph_cs_reg_name

#include "capstone_constants.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
#define EPITAPH_ENUM(name, values) typedef enum name { values } name;
EPITAPH_CAPSTONE_ENUMS(EPITAPH_ENUM, EPITAPH_ENUMERATOR)
#undef EPITAPH_ENUM
#undef EPITAPH_ENUMERATOR

#include "capstone_types.h"

#include "capstone_calls.h"

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_capstone_problem(void);

#pragma GCC visibility pop
