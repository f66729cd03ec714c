// SPDX-License-Identifier: Apache-2.0
//
// Replaces pthread_create(3), so that every thread begins with an alternate stack, including those
// of Foundation, of libdispatch and of Swift's tasks.
//
// Before the program's function the new thread must not wait for anything: its creator may hold any
// lock of the process, for example the allocator's, and wait for the thread in turn. Nor may it
// allocate: the first free(3) of a thread gives it an arena, of a megabyte and more where memory is
// locked. So the creator prepares everything, and stores what the thread has to do at the far end
// of its alternate stack, which only the deepest of signal handlers will touch again.

#include "threads/alternate_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <threads.h>

typedef void *(*thread_function)(void *);
typedef int (*create_function)(pthread_t *, const pthread_attr_t *, thread_function, void *);

// A statically linked program has no next definition; there the real function is called by the C
// library's internal name, which both have and only the static libraries show. It is in an object
// file that the linker takes only if something needs it, and a weak reference does not. Something
// that needs it, and that the dynamic libraries have, too: in glibc mq_notify(3); in musl
// pthread_exit(3), which is in that file itself, src/thread/pthread_create.c.
extern int __pthread_create(pthread_t *, const pthread_attr_t *, thread_function, void *)
    __attribute__((weak));
#ifdef __GLIBC__
__attribute__((used)) static int (*const needed)(mqd_t, const struct sigevent *) = mq_notify;
#else
__attribute__((used)) static void (*const needed)(void *) = pthread_exit;
#endif

// The function of the address and thread sanitizers' runtimes, which must know of every thread:
// linked statically, it comes before ours and not after it. sanitizer_common's interception.h gives
// it this name.
extern int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, thread_function,
                                        void *) __attribute__((weak));

/// Stored at the far end of the new thread's alternate stack.
typedef struct thread_start {
    thread_function function;
    void *argument;
    epitaph_thread_place *place;
    size_t stack_size;
} thread_start;

static uint32_t is_watching;

/// Runs in the new thread: direct system calls, and one function of libc that uses only the
/// thread's own descriptor. A signal that arrives once the stack is in use may overwrite the
/// record. The name shows readers of the thread's stack that this function is not the program's.
static void *epitaph_thread_begin(void *memory) {
    thread_start start = *(thread_start *)memory;
    epitaph_thread_place_occupy(start.place, start.stack_size);
    epitaph_thread_place_watch(start.place);
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

// dlsym(3) takes the loader's lock, so it is called before main and no thread waits for it later.
__attribute__((constructor)) static void find_next(void) {
    next_create();
}

static thread_start *prepare(thread_function function, void *argument) {
    size_t size = epitaph_alternate_stack_size();
    epitaph_thread_place *place = epitaph_thread_place_make(size);
    if (place == NULL) return NULL;
    thread_start *start = place->stack;
    *start = (thread_start){
        .function = function, .argument = argument, .place = place, .stack_size = size};
    return start;
}

/// A failure to prepare something must not make the program's call fail.
static int epitaph_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 thread_function function, void *argument) {
    create_function next = next_create();
    if (next == NULL) return ENOSYS;
    if (__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE) == 0) {
        return next(thread, attributes, function, argument);
    }
    int error_number = errno;
    epitaph_existing_threads_collect();
    thread_start *start = prepare(function, argument);
    errno = error_number;
    if (start == NULL) return next(thread, attributes, function, argument);
    epitaph_thread_place *place = start->place;
    int result = next(thread, attributes, epitaph_thread_begin, start);
    if (result == 0) return 0;
    epitaph_thread_place_free(place);
    errno = error_number;
    return result == EAGAIN ? next(thread, attributes, function, argument) : result;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
                                                          const pthread_attr_t *restrict attributes,
                                                          thread_function function,
                                                          void *restrict argument) {
    return epitaph_thread_create(thread, attributes, function, argument);
}

/// glibc's version calls its own pthread_create(3) in the same way: thrd_create.c and thrd_priv.h.
/// The function returns an int for thrd_join(3), which reads no more than that. Weak, because
/// programs bring their own thrd_create for systems without one.
__attribute__((visibility("default"), weak)) int thrd_create(thrd_t *thread, thrd_start_t function,
                                                             void *argument) {
    switch (epitaph_thread_create(thread, NULL, (thread_function)(void *)function, argument)) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

// Our own function, whatever the name means elsewhere: Tests/LinkedPrograms/coverage.c uses it.
extern __typeof__(pthread_create) epitaph_pthread_create
    __attribute__((alias("pthread_create"), visibility("hidden"), nothrow, nonnull(1, 3)));

void epitaph_threads_watch(bool watches) {
    __atomic_store_n(&is_watching, watches ? 1 : 0, __ATOMIC_RELEASE);
}
