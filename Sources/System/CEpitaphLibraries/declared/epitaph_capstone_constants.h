// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ENUM(type, numbers) with VALUE(name, number).
#define EPITAPH_CAPSTONE_ENUMS(ENUM, VALUE)                                                   \
    ENUM(cs_arch, VALUE(CS_ARCH_ARM64, 1) VALUE(CS_ARCH_X86, 3))                              \
    ENUM(cs_mode, VALUE(CS_MODE_LITTLE_ENDIAN, 0) VALUE(CS_MODE_64, 8))                       \
    ENUM(cs_opt_type, VALUE(CS_OPT_DETAIL, 2))                                                \
    ENUM(cs_opt_value, VALUE(CS_OPT_ON, 3))                                                   \
    ENUM(cs_err, VALUE(CS_ERR_OK, 0) VALUE(CS_ERR_ARCH, 2))                                   \
    ENUM(cs_ac_type, VALUE(CS_AC_READ, 1) VALUE(CS_AC_WRITE, 2))                              \
    ENUM(cs_group_type, VALUE(CS_GRP_JUMP, 1) VALUE(CS_GRP_CALL, 2) VALUE(CS_GRP_RET, 3)      \
                            VALUE(CS_GRP_PRIVILEGE, 6))                                       \
    ENUM(x86_op_type, VALUE(X86_OP_REG, 1) VALUE(X86_OP_IMM, 2) VALUE(X86_OP_MEM, 3))         \
    ENUM(arm64_op_type, VALUE(ARM64_OP_REG, 1) VALUE(ARM64_OP_IMM, 2) VALUE(ARM64_OP_MEM, 3)) \
    ENUM(arm64_extender, VALUE(ARM64_EXT_SXTW, 7))
