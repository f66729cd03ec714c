// SPDX-License-Identifier: Apache-2.0
//
// Deaths on stacks that are full, unusually laid out, or not the thread's own.

#include "ways.h"

#include <alloca.h>
#include <string.h>
#include <ucontext.h>

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

const struct way stack_ways[] = {
    {"overflow", overflow},           {"variable-frame", variable_frame},
    {"aligned-frame", aligned_frame}, {"large-frame", large_frame},
    {"other-stack", other_stack},     {0, 0},
};
