// SPDX-License-Identifier: Apache-2.0

#include "epitaph_elfutils.h"

EPITAPH_LIBRARY("libdw.so.1", EPITAPH_DW_CALLS)

const char *epitaph_libdw_load(void) {
    return load_library();
}
