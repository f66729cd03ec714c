// SPDX-License-Identifier: Apache-2.0
//
// Replaces sigaltstack(2) to learn of programs whose threads share one alternate stack, as
// varnish's do: they count on one handler at a time, and stopping threads needs one in each.
//
// ANY-TIME, as the function that it replaces.

#include "threads/alternate_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*sigaltstack_function)(const stack_t *, stack_t *);

enum { PLACE_COUNT = 64, PAGE_BITS = 12 };

/// Who has set which stack last. A place that two stacks contend for forgets one of them, which
/// costs a later finding, not a wrong one.
static struct {
    uintptr_t stack;
    pid_t thread;
} places[PLACE_COUNT];

static sigaltstack_function find(void) {
    static sigaltstack_function cached;
    sigaltstack_function real = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (real == NULL) {
        real = (sigaltstack_function)dlsym(RTLD_NEXT, "sigaltstack");
        __atomic_store_n(&cached, real, __ATOMIC_RELAXED);
    }
    return real;
}

__attribute__((constructor)) static void find_early(void) {
    find();
}

/// A thread that has ended may have left its stack to another.
static bool is_alive(pid_t thread) {
    return syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

static void note(uintptr_t stack) {
    size_t i = (stack >> PAGE_BITS) % PLACE_COUNT;
    pid_t own = (pid_t)syscall(SYS_gettid);
    uintptr_t earlier = __atomic_exchange_n(&places[i].stack, stack, __ATOMIC_ACQ_REL);
    pid_t other = __atomic_exchange_n(&places[i].thread, own, __ATOMIC_ACQ_REL);
    bool is_other = earlier == stack && other != 0 && other != own;
    if (is_other && is_alive(other)) epitaph_alternate_stack_note_shared();
}

__attribute__((visibility("default"))) int sigaltstack(const stack_t *restrict stack,
                                                       stack_t *restrict old) {
    sigaltstack_function real = find();
    int result = real != NULL ? real(stack, old) : (int)syscall(SYS_sigaltstack, stack, old);
    if (result != 0 || stack == NULL || (stack->ss_flags & SS_DISABLE) != 0) return result;
    int error_number = errno;
    note((uintptr_t)stack->ss_sp);
    errno = error_number;
    return result;
}
