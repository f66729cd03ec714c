// SPDX-License-Identifier: Apache-2.0
//
// pthread_create(3) taken over, so that every thread begins with an alternate stack: those of
// Foundation, of libdispatch and of Swift's tasks come through here too. A program that is linked
// statically has no next definition; there the real one is called by its other name.
//
// In glibc's static library that name is in a file the linker takes only when something needs it,
// and a weak reference is no need. thrd_create(3) needs it, and is in the dynamic library as well.

#include "alternate_stack.h"
#include "internal.h"
#include "thread_registration.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// glibc's internal name, in its static library only.
extern int __pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    __attribute__((weak));

// The one of the address and thread sanitizers' runtimes, which must know of every thread: linked
// statically, it comes before ours, not after. sanitizer_common's interception.h names it for this.
extern int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                        void *) __attribute__((weak));

__attribute__((used)) static int (*const needed)(thrd_t *, thrd_start_t, void *) = thrd_create;

typedef struct thread_start {
    void *(*function)(void *);
    void *argument;
} thread_start;

static void *begin(void *memory) {
    thread_start start = *(thread_start *)memory;
    free(memory);
    // Without one the thread runs all the same; only its stack overflows would go unreported.
    epitaph_alternate_stack_install();
    epitaph_existing_threads_collect();
    epitaph_thread_register();
    return start.function(start.argument);
}

static create_function next_create(void) {
    static create_function cached;
    create_function next = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (next == NULL) {
        next = __interceptor_pthread_create;
        if (next == NULL) next = (create_function)dlsym(RTLD_NEXT, "pthread_create");
        if (next == NULL) next = __pthread_create;
        __atomic_store_n(&cached, next, __ATOMIC_RELAXED);
    }
    return next;
}

/// Also after epitaph_stop: should Epitaph be started again, such threads are not looked for.
static int has_been_started(void) {
    return epitaph_capture_settings_now.stop_signal != 0;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attributes,
                                                          void *(*function)(void *),
                                                          void *restrict argument) {
    create_function next = next_create();
    if (next == NULL) return ENOSYS;
    thread_start *start = has_been_started() ? malloc(sizeof *start) : NULL;
    if (start == NULL) return next(thread, attributes, function, argument);
    start->function = function;
    start->argument = argument;
    int result = next(thread, attributes, begin, start);
    if (result != 0) free(start);
    return result;
}
