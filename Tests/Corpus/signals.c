// SPDX-License-Identifier: Apache-2.0
//
// Deaths inside signal handlers, and by signals.

#include "ways.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static char alternate_stack[1 << 16];

static KEEP int compare(const void *left, const void *right) {
    touch(2);
    return *(const int *)left - *(const int *)right;
}

static KEEP void on_signal(int number) {
    int values[3] = {3, 1, number};
    qsort(values, 3, sizeof values[0], compare);
    zero++;
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static KEEP void in_handler(void) {
    handle(SIGUSR1, on_signal, 0);
    raise(SIGUSR1);
    zero++;
}

static KEEP void in_handler_on_other_stack(void) {
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, on_signal, SA_ONSTACK);
    raise(SIGUSR1);
    zero++;
}

static KEEP void raise_second(int number) {
    zero = number;
    raise(SIGUSR1);
    zero++;
}

static KEEP void nested_handlers(void) {
    handle(SIGUSR1, on_signal, 0);
    handle(SIGUSR2, raise_second, 0);
    raise(SIGUSR2);
    zero++;
}

#ifdef __x86_64__
#define INVALID "ud2"
#define BREAKPOINT "int3"
#else
#define INVALID "udf #0"
#define BREAKPOINT "brk #0"
#endif

// The instruction that was interrupted is no call, and the first of its function.
static KEEP int on_first_instruction(void);
__asm__(
    ".text\n.type on_first_instruction, @function\non_first_instruction:\n.cfi_startproc\n" INVALID
    "\nret\n.cfi_endproc\n.size on_first_instruction, . - on_first_instruction\n");

static KEEP void on_illegal(int number) {
    touch(number);
    zero++;
}

static KEEP void first_instruction(void) {
    handle(SIGILL, on_illegal, 0);
    zero += on_first_instruction();
    zero++;
}

static KEEP void ask_for_it(void) {
    raise(SIGSEGV);
    zero++;
}

static KEEP void from_outside(void) {
    kill(getpid(), SIGQUIT);
    for (;;)
        pause();
}

static KEEP void breakpoint(void) {
    __asm__ volatile(BREAKPOINT);
    zero++;
}

static struct sigaction before;

// Like Python's faulthandler: prints something, restores the previous action, and raises the signal
// again.
static KEEP void raise_again(int number) {
    sigaction(number, &before, NULL);
    raise(number);
    zero++;
}

static KEEP void reraised(void) {
    struct sigaction action = {.sa_handler = raise_again, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &action, &before);
    touch(9);
    zero++;
}

// Returns to the instruction that faulted, which faults again.
static KEEP void default_again(int number) {
    sigaction(number, &before, NULL);
    zero++;
}

static KEEP void returned_to(void) {
    struct sigaction action = {.sa_handler = default_again};
    sigaction(SIGSEGV, &action, &before);
    touch(10);
    zero++;
}

const struct way signal_ways[] = {
    {"handler", in_handler},
    {"handler-other-stack", in_handler_on_other_stack},
    {"nested-handlers", nested_handlers},
    {"first-instruction", first_instruction},
    {"raise", ask_for_it},
    {"kill", from_outside},
    {"breakpoint", breakpoint},
    {"reraised", reraised},
    {"returned-to", returned_to},
    {0, 0},
};
