// SPDX-License-Identifier: Apache-2.0
//
// The demangler of C++ names, in libstdc++, which Swift's runtime has loaded already: found there
// and not linked, so that a program needs no library more than it had.
#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// `__cxa_demangle` of the Itanium C++ ABI, 3.4; NULL with the status -3 where there is none.
char *epitaph_cxa_demangle(const char *name, char *output, size_t *output_size, int *status);

#pragma GCC visibility pop
