// SPDX-License-Identifier: Apache-2.0
//
// Optional libraries, opened with dlopen(3) on first use. docs/decisions/code.md.
//
// Their functions and types are declared here, so their headers need not be installed; list each
// function used in the library's header and in its declared/epitaph_*_calls.h. Macros prefix the
// names with epitaph_, so that Epitaph and a host program that links the same library never use
// each other's. `#pragma redefine_extname`, which renames only symbols, is not enough: if the host
// imports the library's headers into Swift, Swift merges the declarations and the host's calls come
// to us.
#pragma once

#include <pthread.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A function of a library, and where to store its address.
struct epitaph_library_function {
    const char *name;
    void **place;
};

/// Finds all functions of the library `soname`, or none. Returns NULL, or why it is unusable, as
/// static text. Not thread-safe for the same `functions`.
const char *epitaph_library_load(const char *soname,
                                 const struct epitaph_library_function *functions, size_t count);

// A library's functions are a list of CALL(result, function, (parameters), (arguments)), or
// OWN(result, function, (parameters)) for more than forwarding.
#define EPITAPH_LIBRARY_DECLARATION(result, function, parameters, ...) result function parameters;
#define EPITAPH_LIBRARY_MEMBER(result, function, ...) __typeof__(function) *function;
// POSIX requires dlsym(3)'s data pointers to convert to function pointers; ISO C forbids it.
#define EPITAPH_LIBRARY_PLACE(result, function, ...) {#function, (void **)&library.function},
#define EPITAPH_LIBRARY_DEFINITION(result, function, parameters, arguments) \
    result function parameters {                                            \
        return library.function arguments;                                  \
    }
#define EPITAPH_LIBRARY_NOTHING(...)

/// Defines `library`, with the functions of CALLS as members, NULL until loaded; `load_from`, as
/// epitaph_library_load; `load_library` for the usual soname; and our function for each CALL.
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

/// Defines the function `name`, which calls `load` once and always returns its result.
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

/// Call it within the gate when a library was loaded and before its first other call, if exit may
/// free what it uses.
void epitaph_library_guard_exit(void);

#pragma GCC visibility pop
