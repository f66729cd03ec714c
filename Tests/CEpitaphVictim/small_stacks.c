// SPDX-License-Identifier: Apache-2.0
//
// Crashes on alternate stacks that the program, or another runtime in it, has set.

#include "crashes.h"
#include "settled.h"
#include "ways.h"

#include <epitaph.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#if defined(__x86_64__)
enum { LEAST_FRAME = 2048 };
#else
enum { LEAST_FRAME = 5120 };
#endif
enum { PAGE = 4096, AREA_PAGES = 32 };

/// The frame that the kernel makes for a signal.
static size_t frame_bytes(void) {
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    return frame < LEAST_FRAME ? LEAST_FRAME : frame;
}

/// An alternate stack of `size` bytes, with nothing readable below it.
static void set_stack(size_t size) {
    char *area =
        mmap(NULL, AREA_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(area, PAGE, PROT_NONE);
    stack_t stack = {.ss_sp = area + PAGE, .ss_size = size};
    if (sigaltstack(&stack, NULL) != 0) perror("sigaltstack");
}

static void set_no_stack(void) {
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) != 0) perror("sigaltstack");
}

static void *crash_on_stack_of(void *size) {
    pthread_setname_np(pthread_self(), "small");
    set_stack(*(size_t *)size);
    crash("null-write");
    return NULL;
}

static void crash_on_thread(void *(*function)(void *), void *argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, NULL);
}

WAY crash_on_tiny_stack(void) {
    set_stack(frame_bytes());
    crash("null-write");
}

WAY crash_on_tiny_stack_of_thread(void) {
    size_t size = frame_bytes();
    crash_on_thread(crash_on_stack_of, &size);
}

/// As large as other runtimes make theirs: more than we ask for on a common thread.
WAY crash_on_foreign_stack(void) {
    size_t size = 100 << 10;
    crash_on_thread(crash_on_stack_of, &size);
}

static void crash_in_handler(int signal) {
    (void)signal;
    crash("null-write");
}

/// The frame may be smaller than AT_MINSIGSTKSZ says, which counts AMX's tiles.
static void crash_at_end_of_stack(int signal) {
    enum { LEFT = 1024 };
    stack_t present;
    sigaltstack(NULL, &present);
    size_t room = (size_t)((char *)__builtin_frame_address(0) - (char *)present.ss_sp);
    volatile char *used = __builtin_alloca(room > LEFT ? room - LEFT : 1);
    used[0] = 0;
    crash_in_handler(signal);
}

static void crash_in_handler_with(size_t size, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    set_stack(size);
    raise(SIGUSR1);
}

/// Room for the program's frame and one more, but not for a handler that does anything.
WAY crash_in_handler_on_small_stack(void) {
    crash_in_handler_with(2 * frame_bytes() + 1024, crash_in_handler);
}

/// No room for a second frame: the kernel ends the process without a word.
WAY crash_in_handler_on_full_stack(void) {
    crash_in_handler_with(frame_bytes() + 2048, crash_at_end_of_stack);
}

// Other threads, which the stop signal must not end

enum { FULL_AREA = 65536, UNTOUCHED = 0x5a };

static char full_area[FULL_AREA];
static volatile int is_in_handler;

/// A wait for a futex, during which a live dump may stop the thread.
static void stay_in_handler(int signal) {
    static int word;
    (void)signal;
    is_in_handler = 1;
    for (;;)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

/// Room for the program's own frame, and not for another one.
static void *stay_on_full_stack(void *argument) {
    struct sigaction action = {.sa_handler = stay_in_handler, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_sp = full_area + FULL_AREA / 2, .ss_size = frame_bytes() + 1024};
    sigaction(SIGUSR1, &action, NULL);
    if (sigaltstack(&stack, NULL) != 0) perror("sigaltstack");
    raise(SIGUSR1);
    return argument;
}

static void start_thread_on_full_stack(void) {
    pthread_t thread;
    memset(full_area, UNTOUCHED, FULL_AREA);
    pthread_create(&thread, NULL, stay_on_full_stack, NULL);
    for (int i = 0; i < 10000 && !is_in_handler; i++)
        usleep(1000);
    wait_until_settled();
}

WAY crash_beside_full_stack(void) {
    start_thread_on_full_stack();
    abort();
}

WAY live_dump_beside_full_stack(void) {
    start_thread_on_full_stack();
    if (epitaph_live_dump(NULL, NULL) != EPITAPH_OK) _exit(76);
    for (size_t i = 0; i < FULL_AREA / 2; i++) {
        if (full_area[i] != UNTOUCHED) _exit(85);
    }
    _exit(0);
}

static void *crash_without_stack(void *argument) {
    set_no_stack();
    crash("null-write");
    return argument;
}

/// An ordinary stack of which little is left, and no alternate one.
WAY crash_without_alternate_stack(void) {
    static _Alignas(16) char stack[32 << 10];
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    pthread_create(&thread, &attributes, crash_without_stack, NULL);
    pthread_join(thread, NULL);
}

const way small_stack_ways[] = {
    {"tiny-stack", crash_on_tiny_stack},
    {"tiny-stack-of-thread", crash_on_tiny_stack_of_thread},
    {"foreign-stack", crash_on_foreign_stack},
    {"handler-on-small-stack", crash_in_handler_on_small_stack},
    {"handler-on-full-stack", crash_in_handler_on_full_stack},
    {"no-alternate-stack", crash_without_alternate_stack},
    {"beside-full-stack", crash_beside_full_stack},
    {"live-beside-full-stack", live_dump_beside_full_stack},
    {NULL, NULL},
};
