// SPDX-License-Identifier: Apache-2.0
//
// Replaces sigaltstack(2). The program finds what it has set, and not the stack that we gave the
// thread: Rust's runtime makes one for its handler of stack overflows only where it finds none. And
// we learn which stacks threads have: one may have no room for the signal that stops its thread. Or
// threads share one, as varnish's do: such programs expect one handler at a time, but stopping
// threads runs one in each. ANY-TIME, like the original.

#include "threads/alternate_stack.h"

#include "epitaph_sanitizers.h"
#include "epitaph_settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*sigaltstack_function)(const stack_t *, stack_t *);

enum { PLACE_COUNT = 64, PAGE_BITS = 12 };

/// Last thread to set each stack. A collision forgets one, which only delays detection.
static struct {
    uintptr_t stack;
    pid_t thread;
} places[PLACE_COUNT];

static sigaltstack_function of_libc;

static sigaltstack_function find(void) {
    sigaltstack_function real = __atomic_load_n(&of_libc, __ATOMIC_RELAXED);
    if (real == NULL) {
        real = (sigaltstack_function)dlsym(RTLD_NEXT, "sigaltstack");
        __atomic_store_n(&of_libc, real, __ATOMIC_RELAXED);
    }
    return real;
}

__attribute__((constructor)) static void find_early(void) {
    find();
}

/// A thread that has ended may have passed its stack to another.
static bool is_alive(pid_t thread) {
    return syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

static void note_sharing(uintptr_t stack) {
    size_t i = (stack >> PAGE_BITS) % PLACE_COUNT;
    pid_t own = (pid_t)syscall(SYS_gettid);
    uintptr_t earlier = __atomic_exchange_n(&places[i].stack, stack, __ATOMIC_ACQ_REL);
    pid_t other = __atomic_exchange_n(&places[i].thread, own, __ATOMIC_ACQ_REL);
    bool is_other = earlier == stack && other != 0 && other != own;
    if (!is_other || !is_alive(other)) return;
    __atomic_store_n(&epitaph_capture_settings_now.shares_alternate_stacks, 1, __ATOMIC_RELEASE);
}

int epitaph_real_sigaltstack(const stack_t *stack, stack_t *old) {
    sigaltstack_function real = find();
    return real != NULL ? real(stack, old) : (int)syscall(SYS_sigaltstack, stack, old);
}

static void note(const stack_t *stack) {
    bool is_off = (stack->ss_flags & SS_DISABLE) != 0;
    epitaph_thread_place_note_stack((uint64_t)stack->ss_sp, is_off ? 0 : stack->ss_size,
                                    epitaph_alternate_stack_size());
    if (!is_off) note_sharing((uintptr_t)stack->ss_sp);
}

static void hide(stack_t *found) {
    stack_t programs;
    int on_stack = found->ss_flags & SS_ONSTACK;
    if (!epitaph_thread_stack_find(found->ss_sp, &programs)) return;
    if ((programs.ss_flags & SS_DISABLE) == 0) programs.ss_flags |= on_stack;
    *found = programs;
}

static int change(const stack_t *stack, stack_t *old) {
    int result = epitaph_real_sigaltstack(stack, old);
    if (result != 0) return result;
    int error_number = errno;
    if (old != NULL) hide(old);
    if (stack != NULL && !epitaph_filters_may_kill()) note(stack);
    errno = error_number;
    return result;
}

EPITAPH_NOT_INSTRUMENTED __attribute__((visibility("default"))) int
sigaltstack(const stack_t *restrict stack, stack_t *restrict old) {
    if (EPITAPH_THREADS_ARE_CHECKED && of_libc == NULL)
        return (int)syscall(SYS_sigaltstack, stack, old);
    return change(stack, old);
}
