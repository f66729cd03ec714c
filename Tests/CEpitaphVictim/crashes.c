// SPDX-License-Identifier: Apache-2.0
//
// Ways to die. Each is a function of its own that is not inlined, so that reports can be checked
// for its name.

#include "crashes.h"
#include "thread_ways.h"
#include "ways.h"

#include "memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

WAY crash_null_write(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

WAY crash_abort(void) {
    abort();
}

WAY crash_illegal_instruction(void) {
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile(".inst 0");  // udf #0
#endif
}

// The processor decides what a division by zero does: only x86 traps.
WAY crash_divide_by_zero(void) {
#if defined(__x86_64__)
    __asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx"
                     :
                     :
                     : "eax", "ecx", "edx");
#else
    raise(SIGFPE);
#endif
}

/// A page of a file that is not that long: SIGBUS, BUS_ADRERR, mmap(2).
WAY crash_bus_error(void) {
    char path[] = "/tmp/epitaph-victim-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    (void)*page;
}

WAY crash_jump_to_null(void) {
    void (*volatile nowhere)(void) = NULL;
    nowhere();
    __asm__ volatile("");  // no tail call: the caller's frame is to be found
}

WAY crash_breakpoint(void) {
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk #0");
#endif
}

WAY crash_raise(void) {
    raise(SIGSEGV);
}

WAY crash_waiting_for_a_signal(void) {
    puts("waiting");
    fflush(stdout);
    for (int i = 0; i < 60; i++)
        sleep(1);
}

WAY crash_double_free(void) {
    void *volatile memory = malloc(100);
    free(memory);
    free(memory);
}

/// Has an end that no stack is large enough for.
__attribute__((noinline)) static int recurse(volatile char *above, unsigned depth) {
    volatile char here[512];
    here[0] = above[0];
    return depth == 0 ? here[0] : recurse(here, depth - 1) + here[1];
}

WAY crash_stack_overflow(void) {
    volatile char start[1] = {0};
    recurse(start, 1u << 30);
}

WAY crash_in_forked_child(void) {
    pid_t child = fork();
    if (child == 0) crash_null_write();
    int status = 0;
    waitpid(child, &status, 0);
    exit(WIFSIGNALED(status) ? 40 + WTERMSIG(status) : 1);
}

WAY crash_nothing_stop(void) {
    extern void epitaph_stop(void);
    epitaph_stop();
    exit(0);
}

WAY crash_nothing_exit(void) {
    exit(0);
}

WAY crash_nothing_quick_exit(void) {
    quick_exit(0);
}

WAY crash_nothing_underscore_exit(void) {
    _exit(0);
}

/// The child's exit(3) runs the handlers that its parent registered.
WAY crash_nothing_in_exiting_child(void) {
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    kill(getpid(), SIGKILL);
}

/// Destructors run after the handlers of atexit(3).
static int crashes_in_destructor;

WAY crash_after_exit(void) {
    crashes_in_destructor = 1;
    exit(0);
}

WAY crash_exec(void) {
    execl("/bin/true", "true", (char *)NULL);
}

__attribute__((destructor)) static void crash_in_destructor(void) {
    if (crashes_in_destructor) crash_null_write();
}

WAY crash_nothing_kill(void) {
    kill(getpid(), SIGKILL);
}

static const struct {
    const char *name;
    void (*function)(void);
} ways[] = {
    {"null-write", crash_null_write},
    {"abort", crash_abort},
    {"illegal-instruction", crash_illegal_instruction},
    {"divide-by-zero", crash_divide_by_zero},
    {"bus-error", crash_bus_error},
    {"jump-to-null", crash_jump_to_null},
    {"breakpoint", crash_breakpoint},
    {"raise", crash_raise},
    {"wait", crash_waiting_for_a_signal},
    {"double-free", crash_double_free},
    {"stack-overflow", crash_stack_overflow},
    {"throw", crash_throwing},
    {"object", crash_with_object},
    {"forked-child", crash_in_forked_child},
    {"stop", crash_nothing_stop},
    {"exit", crash_nothing_exit},
    {"sigkill", crash_nothing_kill},
    {"quick-exit", crash_nothing_quick_exit},
    {"_exit", crash_nothing_underscore_exit},
    {"exiting-child", crash_nothing_in_exiting_child},
    {"crash-in-exit", crash_after_exit},
    {"exec", crash_exec},
    {"live-dumps", live_dumps},
    {"live-beside-own-signal", live_dump_beside_own_signal},
    {"survive-beside-own-signal", survive_beside_own_signal},
    {"execute-beside-live-dumps", execute_beside_live_dumps},
    {"live-then-crash", live_then_crash},
    {"live-at-paths", live_at_paths},
};

void crash(const char *name) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0) ways[i].function();
    }
    void (*function)(void) = thread_way(name);
    if (function != NULL) function();
    crash_for_a_reason(name);
    crash_by_choice(name);
    crash_in_a_group(name);
}

void print_ways(void) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        fprintf(stderr, " %s", ways[i].name);
    print_groups();
}
