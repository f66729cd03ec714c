// SPDX-License-Identifier: Apache-2.0
//
// Deaths on stacks that are full, unusually laid out, or not the thread's own.

#include "ways.h"

#include <alloca.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static KEEP int for_ever(int depth) {
    volatile int room[24];
    room[depth % 24] = depth;
    return for_ever(depth + 1) + room[zero];
}

static KEEP void overflow(void) {
    zero += for_ever(1);
}

static KEEP void with_room(int size) {
    char *room = alloca((size_t)size);
    memset(room, size, (size_t)size);
    touch(room[zero]);
    zero++;
}

static KEEP void variable_frame(void) {
    with_room(1000 + zero);
    zero++;
}

// The stack pointer is aligned in the prologue, so the frame's start is kept in another register.
static KEEP void with_aligned_room(int size) {
    _Alignas(128) char room[256];
    memset(room, size, sizeof room);
    touch(room[zero] + (int)((unsigned long)(void *)room & 127));
    zero++;
}

static KEEP void aligned_frame(void) {
    with_aligned_room(3 + zero);
    zero++;
}

static KEEP void with_much_room(int size) {
    volatile char room[1 << 20];
    room[size] = 1;
    touch(room[zero]);
    zero++;
}

// A negative size leaves the stack pointer above the frame, which another register finds.
static KEEP void with_negative_room(int size) {
    char *room = alloca((size_t)(long)-size);
    *nowhere = (int)(uintptr_t)room;
    zero++;
}

static KEEP void negative_frame(void) {
    with_negative_room(256 + zero);
    zero++;
}

static KEEP void large_frame(void) {
    with_much_room(5 + zero);
    zero++;
}

static ucontext_t caller, coroutine;
static char coroutine_stack[1 << 16];

static KEEP void on_own_stack(void) {
    touch(7);
    zero++;
}

static KEEP void other_stack(void) {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = coroutine_stack;
    coroutine.uc_stack.ss_size = sizeof coroutine_stack;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, on_own_stack, 0);
    swapcontext(&caller, &coroutine);
    zero++;
}

// A function on a stack of its own that cannot return anywhere: it has no caller.
static KEEP void without_link(void) {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = coroutine_stack;
    coroutine.uc_stack.ss_size = sizeof coroutine_stack;
    coroutine.uc_link = NULL;
    makecontext(&coroutine, on_own_stack, 0);
    setcontext(&coroutine);
    zero++;
}

static KEEP void *overflow_thread(void *argument) {
    overflow();
    return argument;
}

// Of 8 MiB, the usual limit, wherever this runs.
static void overflow_in_thread(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_t other;
    pthread_create(&other, &attributes, overflow_thread, NULL);
    pthread_join(other, NULL);
}

static int never[2];
static pthread_barrier_t everybody;

// Reads into a zeroed buffer, as programs do that wait for input; nothing ever comes.
static KEEP long wait_with(size_t size) {
    char *buffer = alloca(size);
    memset(buffer, 0, size);
    long count = read(never[0], buffer, size);
    return count + buffer[zero];
}

static KEEP long wait_deeper(size_t size, int depth) {
    volatile char room[100];
    room[depth] = (char)depth;
    return (depth > 0 ? wait_deeper(size, depth - 1) : wait_with(size)) + room[depth];
}

static KEEP void *wait_in_thread(void *argument) {
    pthread_barrier_wait(&everybody);
    return (void *)wait_deeper((size_t)(uintptr_t)argument, 4);
}

static KEEP void *crash_beside(void *argument) {
    pthread_barrier_wait(&everybody);
    // Until the others have come to where they wait.
    usleep(200000);
    touch(argument != NULL);
    return argument;
}

enum { WAITING = 12 };

/// Threads that wait, each with a zeroed buffer of another size, up to 8 KiB.
static void start_waiting(unsigned others) {
    if (pipe(never) != 0) abort();
    pthread_barrier_init(&everybody, NULL, WAITING + others);
    for (uintptr_t i = 0; i < WAITING; i++) {
        pthread_t other;
        pthread_create(&other, NULL, wait_in_thread, (void *)(400 + i * 700));
    }
}

static KEEP void zeros_of_workers(void) {
    start_waiting(1);
    crash_beside(NULL);
    zero++;
}

static KEEP void zeros_of_main(void) {
    start_waiting(1);
    pthread_t other;
    pthread_create(&other, NULL, crash_beside, NULL);
    zero += (int)wait_deeper(2048, 6);
}

const struct way stack_ways[] = {
    {"overflow", overflow},
    {"variable-frame", variable_frame},
    {"aligned-frame", aligned_frame},
    {"large-frame", large_frame},
    {"negative-frame", negative_frame},
    {"other-stack", other_stack},
    {"fibre", without_link},
    {"deep", overflow},
    {"deep-thread", overflow_in_thread},
    {"zeros", zeros_of_workers},
    {"zeros-main", zeros_of_main},
    {0, 0},
};
