// SPDX-License-Identifier: Apache-2.0
//
// Functions used of libcapstone.so.4. Include after the types.
#pragma once

#include "../include/epitaph_loaded_library.h"

#define EPITAPH_CAPSTONE_CALLS(CALL, OWN)                                                        \
    CALL(cs_err, cs_close, (csh * handle), (handle))                                             \
    CALL(size_t, cs_disasm,                                                                      \
         (csh handle, const uint8_t *code, size_t code_size, uint64_t address, size_t count,     \
          cs_insn **insn),                                                                       \
         (handle, code, code_size, address, count, insn))                                        \
    CALL(void, cs_free, (cs_insn * insn, size_t count), (insn, count))                           \
    CALL(const char *, cs_group_name, (csh handle, unsigned int group_id), (handle, group_id))   \
    OWN(cs_err, cs_open, (cs_arch arch, cs_mode mode, csh * handle))                             \
    CALL(cs_err, cs_option, (csh handle, cs_opt_type type, size_t value), (handle, type, value)) \
    CALL(const char *, cs_reg_name, (csh handle, unsigned int reg_id), (handle, reg_id))

EPITAPH_CAPSTONE_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
