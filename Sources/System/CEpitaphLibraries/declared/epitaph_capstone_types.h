// SPDX-License-Identifier: Apache-2.0
//
// Types used of libcapstone.so.4, up to the last member read. Version 5 has other layouts and
// another soname. Registers are numbers for cs_reg_name.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef size_t csh;

typedef struct x86_op_mem {
    uint32_t segment;
    uint32_t base;
    uint32_t index;
    int scale;
    int64_t disp;
} x86_op_mem;

typedef struct cs_x86_op {
    x86_op_type type;
    union {
        uint32_t reg;
        int64_t imm;
        x86_op_mem mem;
    };
    uint8_t size;
    /// cs_ac_type bits.
    uint8_t access;
    uint32_t avx_bcast;
    bool avx_zero_opmask;
} cs_x86_op;

typedef struct cs_x86 {
    uint8_t prefix[4];
    uint8_t opcode[4];
    uint8_t rex;
    uint8_t addr_size;
    uint8_t modrm;
    uint8_t sib;
    int64_t disp;
    uint32_t sib_index;
    int8_t sib_scale;
    uint32_t sib_base;
    uint32_t xop_cc;
    uint32_t sse_cc;
    uint32_t avx_cc;
    bool avx_sae;
    uint32_t avx_rm;
    uint64_t eflags;
    uint8_t op_count;
    cs_x86_op operands[8];
} cs_x86;

typedef struct arm64_op_mem {
    uint32_t base;
    uint32_t index;
    int32_t disp;
} arm64_op_mem;

typedef struct cs_arm64_op {
    int vector_index;
    uint32_t vas;
    uint32_t vess;
    struct {
        uint32_t type;
        unsigned int value;
    } shift;
    arm64_extender ext;
    arm64_op_type type;
    union {
        uint32_t reg;
        int64_t imm;
        arm64_op_mem mem;
    };
    uint8_t access;
} cs_arm64_op;

typedef struct cs_arm64 {
    uint32_t cc;
    bool update_flags;
    bool writeback;
    uint8_t op_count;
    cs_arm64_op operands[8];
} cs_arm64;

typedef struct cs_detail {
    uint16_t regs_read[12];
    uint8_t regs_read_count;
    uint16_t regs_write[20];
    uint8_t regs_write_count;
    uint8_t groups[8];
    uint8_t groups_count;
    union {
        cs_x86 x86;
        cs_arm64 arm64;
    };
} cs_detail;

typedef struct cs_insn {
    unsigned int id;
    uint64_t address;
    uint16_t size;
    uint8_t bytes[16];
    char mnemonic[32];
    char op_str[160];
    cs_detail *detail;
} cs_insn;
