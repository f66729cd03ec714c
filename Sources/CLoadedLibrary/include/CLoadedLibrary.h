// SPDX-License-Identifier: Apache-2.0
//
// Libraries that a report is the better for and no program needs: they are opened with dlopen(3)
// when the first of their functions is wanted. docs/decisions/libraries-when-needed.md.
//
// A header that includes a library's own renames each function it needs with
// `#pragma redefine_extname`: the declarations stay the library's, and so does every call, but what
// is linked is a function of ours that calls the loaded one. Two programs in one process, ours and
// its host, then never take each other's.
#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A function of a library and where its address goes.
struct epitaph_library_function {
    const char *name;
    void **place;
};

/// Opens the library `soname` and finds all functions, or none.
///
/// Returns NULL, or why it cannot be used, as words that stay valid. Not for several threads at
/// once with the same places.
const char *epitaph_library_load(const char *soname,
                                 const struct epitaph_library_function *functions, size_t count);

#pragma GCC visibility pop
