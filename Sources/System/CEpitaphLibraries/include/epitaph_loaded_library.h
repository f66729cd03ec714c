// SPDX-License-Identifier: Apache-2.0
//
// Libraries that improve a report but that no program needs: they are opened with dlopen(3) when
// the first of their functions is used. docs/decisions/code.md.
//
// Each header declares the functions that are called and their types as the library's own header
// does, but under names of ours: macros put epitaph_ in front of them. What Swift calls and what is
// linked is a function of ours that calls the loaded one, so two programs in one process, ours and
// its host, never use each other's. Renaming only what is linked, with `#pragma redefine_extname`,
// is not enough: a host that imports the library's own headers into Swift sees one declaration for
// both, and its calls come to us.
#pragma once

#include <pthread.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A function of a library and where its address goes.
struct epitaph_library_function {
    const char *name;
    void **place;
};

/// Opens the library `soname` and finds all functions, or none.
///
/// Returns NULL, or why it cannot be used, as text that stays valid. Not for several threads at
/// once with the same places.
const char *epitaph_library_load(const char *soname,
                                 const struct epitaph_library_function *functions, size_t count);

// The functions of a library are a list of CALL(result, function, (parameters), (arguments)), and
// of OWN(result, function, (parameters)) where our function does more than call theirs.
#define EPITAPH_LIBRARY_DECLARATION(result, function, parameters, ...) result function parameters;
#define EPITAPH_LIBRARY_MEMBER(result, function, ...) __typeof__(function) *function;
// POSIX demands of dlsym(3) that a data pointer becomes a function pointer; ISO C forbids it.
#define EPITAPH_LIBRARY_PLACE(result, function, ...) {#function, (void **)&library.function},
#define EPITAPH_LIBRARY_DEFINITION(result, function, parameters, arguments) \
    result function parameters {                                            \
        return library.function arguments;                                  \
    }
#define EPITAPH_LIBRARY_NOTHING(...)

/// Defines `library`, which has the functions of the list CALLS as members, all NULL before they
/// are loaded, `load_from`, which loads them and returns what epitaph_library_load does,
/// `load_library` for the usual name, and our function for each CALL.
#define EPITAPH_LIBRARY(soname, CALLS)                                                        \
    static struct { CALLS(EPITAPH_LIBRARY_MEMBER, EPITAPH_LIBRARY_MEMBER) } library;          \
    static const char *load_from(const char *name) {                                          \
        static const struct epitaph_library_function functions[] = {                          \
            CALLS(EPITAPH_LIBRARY_PLACE, EPITAPH_LIBRARY_PLACE)};                             \
        return epitaph_library_load(name, functions, sizeof functions / sizeof functions[0]); \
    }                                                                                         \
    static const char *load_library(void) {                                                   \
        return load_from(soname);                                                             \
    }                                                                                         \
    CALLS(EPITAPH_LIBRARY_DEFINITION, EPITAPH_LIBRARY_NOTHING)

/// Defines the function `name`, which calls `load` once, whoever asks, and returns what that said.
#define EPITAPH_LIBRARY_ONCE(name, load)            \
    static const char *problem;                     \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    static void load_once(void) {                   \
        problem = load();                           \
    }                                               \
    const char *name(void) {                        \
        pthread_once(&once, load_once);             \
        return problem;                             \
    }

#pragma GCC visibility pop
