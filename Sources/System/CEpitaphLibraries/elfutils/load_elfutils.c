// SPDX-License-Identifier: Apache-2.0
//
// libelf and libdw, opened together when they are first needed.

#include "epitaph_elfutils.h"
#include "libraries.h"

#include "epitaph_loaded_library.h"

// libdw needs libelf, so the latter is already loaded.
static const char *load_both(void) {
    const char *problem = epitaph_libdw_load();
    return problem == NULL ? epitaph_libelf_load() : problem;
}

EPITAPH_LIBRARY_ONCE(epitaph_elfutils_problem, load_both)
