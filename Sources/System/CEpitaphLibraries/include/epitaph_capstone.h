// SPDX-License-Identifier: Apache-2.0
//
// capstone, loaded to decode instructions; without it reports have none. docs/decisions/code.md.
// Call cs_open first: it loads the library, and fails if that fails.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define cs_close epitaph_cs_close
#define cs_disasm epitaph_cs_disasm
#define cs_free epitaph_cs_free
#define cs_group_name epitaph_cs_group_name
#define cs_open epitaph_cs_open
#define cs_option epitaph_cs_option
#define cs_reg_name epitaph_cs_reg_name
#define arm64_extender epitaph_arm64_extender
#define arm64_op_mem epitaph_arm64_op_mem
#define arm64_op_type epitaph_arm64_op_type
#define cs_ac_type epitaph_cs_ac_type
#define cs_arch epitaph_cs_arch
#define cs_arm64 epitaph_cs_arm64
#define cs_arm64_op epitaph_cs_arm64_op
#define cs_detail epitaph_cs_detail
#define cs_err epitaph_cs_err
#define cs_group_type epitaph_cs_group_type
#define cs_insn epitaph_cs_insn
#define cs_mode epitaph_cs_mode
#define cs_opt_type epitaph_cs_opt_type
#define cs_opt_value epitaph_cs_opt_value
#define cs_x86 epitaph_cs_x86
#define cs_x86_op epitaph_cs_x86_op
#define csh epitaph_csh
#define x86_op_mem epitaph_x86_op_mem
#define x86_op_type epitaph_x86_op_type

#include "../declared/epitaph_capstone_constants.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
#define EPITAPH_ENUM(name, values) typedef enum name { values } name;
EPITAPH_CAPSTONE_ENUMS(EPITAPH_ENUM, EPITAPH_ENUMERATOR)
#undef EPITAPH_ENUM
#undef EPITAPH_ENUMERATOR

#include "../declared/epitaph_capstone_types.h"

#include "../declared/epitaph_capstone_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_capstone_problem(void);

#pragma GCC visibility pop
