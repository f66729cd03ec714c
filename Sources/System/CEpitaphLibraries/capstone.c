// SPDX-License-Identifier: Apache-2.0

#include "epitaph_capstone.h"

#include "epitaph_loaded_library.h"

/// The functions of libcapstone.so.4 that are called.
#define CAPSTONE_FUNCTIONS(FUNCTION) \
    FUNCTION(cs_close)               \
    FUNCTION(cs_disasm)              \
    FUNCTION(cs_free)                \
    FUNCTION(cs_group_name)          \
    FUNCTION(cs_open)                \
    FUNCTION(cs_option)              \
    FUNCTION(cs_reg_name)

EPITAPH_LIBRARY("libcapstone.so.4", CAPSTONE_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_capstone_problem, load_library)

cs_err cs_close(csh *handle) {
    return library.cs_close(handle);
}

size_t cs_disasm(csh handle, const uint8_t *code, size_t code_size, uint64_t address, size_t count,
                 cs_insn **insn) {
    return library.cs_disasm(handle, code, code_size, address, count, insn);
}

void cs_free(cs_insn *insn, size_t count) {
    library.cs_free(insn, count);
}

const char *cs_group_name(csh handle, unsigned int group_id) {
    return library.cs_group_name(handle, group_id);
}

cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle) {
    if (epitaph_capstone_problem() != NULL) return CS_ERR_ARCH;
    return library.cs_open(arch, mode, handle);
}

cs_err cs_option(csh handle, cs_opt_type type, size_t value) {
    return library.cs_option(handle, type, value);
}

const char *cs_reg_name(csh handle, unsigned int reg_id) {
    return library.cs_reg_name(handle, reg_id);
}
