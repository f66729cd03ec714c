// SPDX-License-Identifier: Apache-2.0
//
// libelf, loaded together with libdw.

#include "epitaph_elfutils.h"

EPITAPH_LIBRARY("libelf.so.1", EPITAPH_ELF_CALLS)

// libdw needs libelf, so that is already loaded.
static const char *load_both(void) {
    const char *problem = epitaph_libdw_load();
    return problem == NULL ? load_library() : problem;
}

EPITAPH_LIBRARY_ONCE(epitaph_elfutils_problem, load_both)

unsigned int elf_version(unsigned int version) {
    if (epitaph_elfutils_problem() != NULL) return EV_NONE;
    return library.elf_version(version);
}
