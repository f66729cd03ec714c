// SPDX-License-Identifier: Apache-2.0
//
// Handlers of the program's own, installed before the start of Epitaph (`last`: Epitaph came last),
// after it (`first`), after it and without virtual actions (`displaced`), and then put behind
// Epitaph's again (`retake`). Each says on standard output how it was called.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <epitaph.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG = 1 << 20, OWN_STACK = 1 << 18 };

static struct sigaction found;
static sigjmp_buf recovery;
static int calls;
static char own_stack[OWN_STACK];
static uintptr_t stack_bottom, stack_top;

static const char *stack_of_caller(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here > (uintptr_t)own_stack && here <= (uintptr_t)own_stack + OWN_STACK) return "its own";
    return here > stack_bottom && here <= stack_top ? "the thread's" : "a foreign";
}

static void say_call(int number, const siginfo_t *info) {
    char text[160];
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    int length = snprintf(text, sizeof text,
                          "call %d: signal %d, code %d, on %s stack, signal %s, SIGUSR1 %s\n",
                          ++calls, number, info->si_code, stack_of_caller(),
                          sigismember(&blocked, number) ? "blocked" : "open",
                          sigismember(&blocked, SIGUSR1) ? "blocked" : "open");
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(90);
}

/// As redis does: a megabyte, then the death by kill(2).
static void need_much(int number, siginfo_t *info, void *context) {
    (void)context;
    volatile char much[BIG];
    memset((char *)much, 1, sizeof much);
    say_call(number, info);
    if (much[7] != 1) _exit(91);
    signal(number, SIG_DFL);
    kill(getpid(), number);
}

/// As Python's faulthandler does.
static void restore_and_raise(int number, siginfo_t *info, void *context) {
    (void)context;
    say_call(number, info);
    sigaction(number, &found, NULL);
    raise(number);
}

static void return_unmended(int number, siginfo_t *info, void *context) {
    (void)context;
    // More would only fill the disk.
    if (calls < 100) say_call(number, info);
}

static void give_default_back(int number, siginfo_t *info, void *context) {
    return_unmended(number, info, context);
    signal(number, SIG_DFL);
}

static void raise_once_more(int number, siginfo_t *info, void *context) {
    (void)context;
    say_call(number, info);
    if (calls == 1) raise(number);
    _exit(6);
}

static void jump_out(int number, siginfo_t *info, void *context) {
    (void)context;
    say_call(number, info);
    siglongjmp(recovery, 1);
}

static void call_found(int number, siginfo_t *info, void *context) {
    say_call(number, info);
    if (calls > 100) _exit(92);
    if (found.sa_flags & SA_SIGINFO)
        found.sa_sigaction(number, info, context);
    else if (found.sa_handler == SIG_DFL)
        signal(number, SIG_DFL);
    else
        found.sa_handler(number);
}

static const struct {
    const char *name;
    void (*function)(int, siginfo_t *, void *);
    int flags;
} kinds[] = {
    {"big", need_much, (int)(SA_NODEFER | SA_RESETHAND)},
    {"restore", restore_and_raise, SA_NODEFER},
    {"resethand", return_unmended, (int)SA_RESETHAND},
    {"nodefer", raise_once_more, SA_NODEFER},
    {"endless", return_unmended, 0},
    {"default", give_default_back, 0},
    {"jump", jump_out, 0},
    {"chain", call_found, 0},
    {"onstack", give_default_back, SA_ONSTACK},
};

static void install(const char *argument) {
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!says(argument, kinds[i].name)) continue;
        action.sa_sigaction = kinds[i].function;
        action.sa_flags |= kinds[i].flags;
        sigaction(SIGSEGV, &action, &found);
    }
}

static void note_stacks(void) {
    pthread_attr_t attributes;
    void *bottom;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &bottom, &size);
    pthread_attr_destroy(&attributes);
    stack_bottom = (uintptr_t)bottom;
    stack_top = stack_bottom + size;
    stack_t own = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    sigaltstack(&own, NULL);
}

static void handle(const char *database, const char *argument) {
    // The alternate stack of the program: only the handlers that asked for it may be on it.
    note_stacks();
    if (says(argument, "last")) install(argument);
    if (says(argument, "displaced") || says(argument, "retake")) {
        start_displaceable_epitaph(database);
    } else {
        start_epitaph(database);
    }
    if (!says(argument, "last")) install(argument);
    if (says(argument, "retake")) epitaph_handlers_check(1);
    if (sigsetjmp(recovery, 1) == 0) write_to_nowhere();
    exit(5);
}

static int ends[2];

static void be_told(int number, siginfo_t *info, void *context) {
    (void)context;
    say_call(number, info);
}

static void *read_one(void *argument) {
    char byte;
    ssize_t count = read(ends[0], &byte, 1);
    printf("read %zd, errno %d\n", count, count < 0 ? errno : 0);
    return argument;
}

/// A read(2) interrupted by a handled SIGQUIT continues, or fails, as the program's flags say.
static void interrupt_read(const char *database, const char *argument) {
    struct sigaction action = {.sa_sigaction = be_told, .sa_flags = SA_SIGINFO};
    if (says(argument, "restart")) action.sa_flags |= SA_RESTART;
    sigaction(SIGQUIT, &action, NULL);
    start_epitaph(database);
    if (says(argument, "disabled")) epitaph_set_enabled(0);
    pthread_t reader;
    if (pipe(ends) != 0) give_up("pipe");
    pthread_create(&reader, NULL, read_one, NULL);
    usleep(50000);
    pthread_kill(reader, SIGQUIT);
    usleep(400000);
    if (write(ends[1], "x", 1) != 1) give_up("write");
    pthread_join(reader, NULL);
    exit(0);
}

const way handler_ways[] = {
    {"handler", handle},
    {"interrupted", interrupt_read},
    {NULL, NULL},
};
