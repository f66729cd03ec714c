// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of capstone 4 are those of the library's own headers.

#include <capstone/capstone.h>

#include "same.h"

_Static_assert(CS_API_MAJOR == 4, "libcapstone.so.4 is what is opened");

// A function that is declared twice must be declared alike.
#include "declared/epitaph_capstone_calls.h"

// The structs are defined once more, by other names.
#define arm64_op_mem our_arm64_op_mem
#define cs_arm64 our_arm64
#define cs_arm64_op our_arm64_op
#define cs_detail our_detail
#define cs_insn our_insn
#define cs_x86 our_x86
#define cs_x86_op our_x86_op
#define x86_op_mem our_x86_op_mem
#include "declared/epitaph_capstone_types.h"
#undef arm64_op_mem
#undef cs_arm64
#undef cs_arm64_op
#undef cs_detail
#undef cs_insn
#undef cs_x86
#undef cs_x86_op
#undef x86_op_mem

SAME_SIZE(our_insn, cs_insn);
SAME_PLACE(our_insn, cs_insn, address);
SAME_PLACE(our_insn, cs_insn, size);
SAME_PLACE(our_insn, cs_insn, bytes);
SAME_PLACE(our_insn, cs_insn, mnemonic);
SAME_PLACE(our_insn, cs_insn, op_str);
SAME_PLACE(our_insn, cs_insn, detail);

// Read as a whole: it must not be longer than what the library made.
_Static_assert(sizeof(our_detail) <= sizeof(cs_detail), "cs_detail is shorter");
SAME_PLACE(our_detail, cs_detail, groups);
SAME_PLACE(our_detail, cs_detail, groups_count);
_Static_assert(offsetof(our_detail, x86) == offsetof(cs_detail, x86), "x86 is elsewhere");
_Static_assert(offsetof(our_detail, arm64) == offsetof(cs_detail, arm64), "arm64 is elsewhere");

SAME_PLACE(our_x86, cs_x86, addr_size);
SAME_PLACE(our_x86, cs_x86, op_count);
SAME_PLACE(our_x86, cs_x86, operands);
SAME_SIZE(our_x86_op, cs_x86_op);
SAME_PLACE(our_x86_op, cs_x86_op, type);
SAME_PLACE(our_x86_op, cs_x86_op, reg);
SAME_PLACE(our_x86_op, cs_x86_op, imm);
SAME_PLACE(our_x86_op, cs_x86_op, mem);
SAME_PLACE(our_x86_op, cs_x86_op, size);
SAME_PLACE(our_x86_op, cs_x86_op, access);
SAME_SIZE(our_x86_op_mem, x86_op_mem);
SAME_PLACE(our_x86_op_mem, x86_op_mem, segment);
SAME_PLACE(our_x86_op_mem, x86_op_mem, base);
SAME_PLACE(our_x86_op_mem, x86_op_mem, index);
SAME_PLACE(our_x86_op_mem, x86_op_mem, scale);
SAME_PLACE(our_x86_op_mem, x86_op_mem, disp);

SAME_PLACE(our_arm64, cs_arm64, op_count);
SAME_PLACE(our_arm64, cs_arm64, operands);
SAME_SIZE(our_arm64_op, cs_arm64_op);
SAME_PLACE(our_arm64_op, cs_arm64_op, shift.value);
SAME_PLACE(our_arm64_op, cs_arm64_op, ext);
SAME_PLACE(our_arm64_op, cs_arm64_op, type);
SAME_PLACE(our_arm64_op, cs_arm64_op, reg);
SAME_PLACE(our_arm64_op, cs_arm64_op, imm);
SAME_PLACE(our_arm64_op, cs_arm64_op, mem);
SAME_PLACE(our_arm64_op, cs_arm64_op, access);
SAME_SIZE(our_arm64_op_mem, arm64_op_mem);
SAME_PLACE(our_arm64_op_mem, arm64_op_mem, base);
SAME_PLACE(our_arm64_op_mem, arm64_op_mem, index);
SAME_PLACE(our_arm64_op_mem, arm64_op_mem, disp);

#include "declared/epitaph_capstone_constants.h"
#define SAME_VALUES(name, values) values
EPITAPH_CAPSTONE_ENUMS(SAME_VALUES, SAME_VALUE)
