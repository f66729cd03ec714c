// SPDX-License-Identifier: Apache-2.0
//
// The C++ exception that ends a thread, found with the Itanium C++ ABI only: this library is C and
// must not link a C++ runtime into programs that have none.
// https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html, below "EH"; .../abi.html, below "ABI".

#ifndef EPITAPH_ENDINGS_CXX_EXCEPTION_H
#define EPITAPH_ENDINGS_CXX_EXCEPTION_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// std::type_info: a table of virtual functions and the mangled name. ABI 2.9.2
typedef struct cxx_type_info cxx_type_info;

typedef struct cxx_exception {
    /// NULL for an exception of another language.
    const cxx_type_info *type;
    /// The object thrown; NULL if it is unknown.
    void *object;
} cxx_exception;

/// Finds the exception that this thread is handling, for which std::terminate() was called; false
/// if there is none.
bool epitaph_cxx_exception_find(cxx_exception *exception);

/// The mangled name of a type.
const char *epitaph_cxx_type_name(const cxx_type_info *type);

/// what() of an exception that derives from std::exception; NULL for all others.
const char *epitaph_cxx_exception_what(const cxx_exception *exception);

#pragma GCC visibility pop

#endif
