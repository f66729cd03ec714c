// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcapstone.so.4 that are called. To be included behind the types.
#pragma once

cs_err cs_close(csh *handle);
size_t cs_disasm(csh handle, const uint8_t *code, size_t code_size, uint64_t address, size_t count,
                 cs_insn **insn);
void cs_free(cs_insn *insn, size_t count);
const char *cs_group_name(csh handle, unsigned int group_id);
cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle);
cs_err cs_option(csh handle, cs_opt_type type, size_t value);
const char *cs_reg_name(csh handle, unsigned int reg_id);
