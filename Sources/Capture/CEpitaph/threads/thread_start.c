// SPDX-License-Identifier: Apache-2.0
//
// Replaces pthread_create(3), so that every thread, including those of Foundation, libdispatch and
// Swift tasks, starts with an alternate stack.
//
// Before the program's function the new thread must neither wait nor allocate: its creator may hold
// any lock and wait for the thread, and a thread's first free(3) gives it an arena, of a megabyte
// and more where memory is locked. So the creator prepares everything and stores the start record
// where the alternate stack begins: the page that every signal handler uses. A crash that stops a
// thousand threads then finds that page present in each.

#include "threads/alternate_stack.h"

#include "base/base.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <threads.h>

typedef void *(*thread_function)(void *);
typedef int (*create_function)(pthread_t *, const pthread_attr_t *, thread_function, void *);

// A static program has no next definition; the real function is __pthread_create, which only static
// libraries export. A weak reference does not pull in its object file, so reference something that
// does and that dynamic libraries also have: mq_notify(3) in glibc; in musl pthread_exit(3), in the
// same file, src/thread/pthread_create.c.
extern int __pthread_create(pthread_t *, const pthread_attr_t *, thread_function, void *)
    __attribute__((weak));
#ifdef __GLIBC__
__attribute__((used)) static int (*const needed)(mqd_t, const struct sigevent *) = mq_notify;
#else
__attribute__((used)) static void (*const needed)(void *) = pthread_exit;
#endif

// The sanitizers' function, which must see every thread.
extern int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, thread_function,
                                        void *) __attribute__((weak));

/// Stored at the beginning of the new thread's alternate stack, its highest bytes.
typedef struct thread_start {
    thread_function function;
    void *argument;
    epitaph_thread_place *place;
    size_t stack_size;
    /// Bytes of its usual stack that are certainly the thread's; 0: not measured.
    size_t own_bytes;
} thread_start;

static uint32_t is_watching;
static uint32_t is_measuring;

/// Runs in the new thread. Makes direct system calls and one libc call that uses only the thread
/// descriptor. Copies the record first, because a signal may overwrite it. Our prefix tells readers
/// of the stack that this is not the program's function.
static void *epitaph_thread_begin(void *memory) {
    thread_start start = *(thread_start *)memory;
    epitaph_thread_place_occupy(start.place, start.stack_size);
    epitaph_thread_place_watch(start.place);
    if (start.own_bytes != 0) {
        epitaph_own_stack_note((uint64_t)__builtin_frame_address(0), start.own_bytes,
                               (int32_t)start.place->thread);
    }
    return start.function(start.argument);
}

static create_function next_create(void) {
    static create_function cached;
    create_function next = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (next == NULL) {
        const void *interceptor = (const void *)__interceptor_pthread_create;
        next = (create_function)epitaph_next_function("pthread_create", interceptor);
        if (next == NULL) next = __pthread_create;
        __atomic_store_n(&cached, next, __ATOMIC_RELAXED);
    }
    return next;
}

// dlsym(3) takes the dynamic linker's lock, so call it before main.
__attribute__((constructor)) static void find_next(void) {
    next_create();
}

/// Bytes that are a thread's own below its first function, with these attributes: half of the stack
/// that libc gives it. Thread-local variables take some of the other half, and a guard page.
static size_t own_stack_bytes(const pthread_attr_t *attributes) {
    pthread_attr_t usual;
    size_t bytes = 0;
    if (attributes != NULL) {
        return pthread_attr_getstacksize(attributes, &bytes) == 0 ? bytes / 2 : 0;
    }
    if (pthread_attr_init(&usual) != 0) return 0;
    if (pthread_attr_getstacksize(&usual, &bytes) != 0) bytes = 0;
    pthread_attr_destroy(&usual);
    return bytes / 2;
}

static thread_start *prepare(const pthread_attr_t *attributes, thread_function function,
                             void *argument) {
    bool measures = __atomic_load_n(&is_measuring, __ATOMIC_ACQUIRE) != 0;
    size_t size = epitaph_alternate_stack_size();
    epitaph_thread_place *place = epitaph_thread_place_make(size);
    if (place == NULL) return NULL;
    thread_start *start = (thread_start *)((char *)place->stack + size) - 1;
    *start = (thread_start){.function = function,
                            .argument = argument,
                            .place = place,
                            .stack_size = size,
                            .own_bytes = measures ? own_stack_bytes(attributes) : 0};
    return start;
}

/// A failed preparation must not fail the program's call.
static int epitaph_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 thread_function function, void *argument) {
    create_function next = next_create();
    if (next == NULL) return ENOSYS;
    // A filter was written for the calls of a thread without us.
    if (__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE) == 0 || epitaph_filters_may_kill()) {
        return next(thread, attributes, function, argument);
    }
    int error_number = errno;
    epitaph_held_settle_quietly(false);
    // The registry is the parent's in a forked child, whose thread still has its alternate stack.
    if (epitaph_thread_registry_is_new()) epitaph_thread_register();
    epitaph_existing_threads_collect();
    // A library that was loaded since makes its first thread. Not in a forked child, for which
    // another thread of its parent may hold the loader's lock for ever.
    if (epitaph_process_is_owner() && !epitaph_capture_settings_now.is_handed_out)
        epitaph_adopted_stacks_look();
    thread_start *start = prepare(attributes, function, argument);
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

/// As in glibc's thrd_create.c and thrd_priv.h: thrd_join(3) reads only the int result. Weak,
/// because programs bring their own thrd_create for systems without it.
__attribute__((visibility("default"), weak)) int thrd_create(thrd_t *thread, thrd_start_t function,
                                                             void *argument) {
    switch (epitaph_thread_create(thread, NULL, (thread_function)(void *)function, argument)) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

// Our own function, even if the name is bound elsewhere: Tests/LinkedPrograms/coverage.c uses it.
extern __typeof__(pthread_create) epitaph_pthread_create
    __attribute__((alias("pthread_create"), visibility("hidden"), nothrow, nonnull(1, 3)));

void epitaph_threads_measure(void) {
    __atomic_store_n(&is_measuring, 1, __ATOMIC_RELEASE);
}

void epitaph_threads_watch(bool watches) {
    __atomic_store_n(&is_watching, watches ? 1 : 0, __ATOMIC_RELEASE);
}
