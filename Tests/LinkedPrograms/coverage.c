// SPDX-License-Identifier: Apache-2.0
//
// Which threads come through the library's pthread_create(3), for programs outside of it. Linked
// into the library.

#include <dlfcn.h>
#include <pthread.h>

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// The library's own, whatever else has that name, and that of a sanitizer: thread_start.c.
extern __typeof__(pthread_create) epitaph_pthread_create __attribute__((visibility("hidden")));
extern int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                        void *) __attribute__((weak));

enum {
    ALL,
    /// Those the program itself makes, not those of libraries: the library's definition is not
    /// among the program's dynamic symbols.
    OF_PROGRAM,
    /// None: the library was loaded with dlopen(3), or libc comes before it.
    NONE,
};

int coverage(void);

__attribute__((visibility("default"))) int coverage(void) {
    // Through a variable: a compiler that sees the definition takes its own for granted.
    static create_function volatile of_program = (create_function)pthread_create;
    void *ours = (void *)epitaph_pthread_create;
    if (__interceptor_pthread_create == NULL && (void *)of_program != ours) return NONE;
    void *of_libraries = dlsym(RTLD_DEFAULT, "pthread_create");
    return of_libraries == NULL || of_libraries == ours ? ALL : OF_PROGRAM;
}
