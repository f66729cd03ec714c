// SPDX-License-Identifier: Apache-2.0

#include "epitaph_capstone.h"

EPITAPH_LIBRARY("libcapstone.so.4", EPITAPH_CAPSTONE_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_capstone_problem, load_library)

cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle) {
    if (epitaph_capstone_problem() != NULL) return CS_ERR_ARCH;
    return library.cs_open(arch, mode, handle);
}
