// SPDX-License-Identifier: Apache-2.0
//
// The demangler of C++ names in libstdc++, which Swift's runtime has already loaded: it is looked
// up and not linked, so that a program needs no additional library.
#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// `__cxa_demangle` of the Itanium C++ ABI, 3.4; NULL with the status -3 if it is not available.
char *epitaph_cxa_demangle(const char *name, char *output, size_t *output_size, int *status);

#pragma GCC visibility pop
