// SPDX-License-Identifier: Apache-2.0
//
// Ways to die after a change of mind about Epitaph, or in company of other handlers.

#include "crashes.h"

#include <epitaph.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_to_nowhere(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

static void disable(void) {
    epitaph_set_enabled(0);
    write_to_nowhere();
}

static void disable_and_enable(void) {
    epitaph_set_enabled(0);
    if (epitaph_is_enabled()) _exit(90);
    epitaph_set_enabled(1);
    if (!epitaph_is_enabled()) _exit(91);
    write_to_nowhere();
}

static void give_up_signal(void) {
    if (epitaph_signal_set_handled(SIGSEGV, 0) != EPITAPH_OK) _exit(90);
    write_to_nowhere();
}

static void give_up_and_take_signal(void) {
    if (epitaph_signal_set_handled(SIGSEGV, 0) != EPITAPH_OK) _exit(90);
    if (epitaph_signal_set_handled(SIGSEGV, 1) != EPITAPH_OK) _exit(91);
    write_to_nowhere();
}

/// Takes a signal that is not among the usual ones.
static void take_signal(void) {
    if (epitaph_signal_set_handled(SIGKILL, 1) != EPITAPH_INVALID_OPTION) _exit(90);
    signal(SIGUSR1, SIG_IGN);
    if (epitaph_signal_set_handled(SIGUSR1, 1) != EPITAPH_INVALID_OPTION) _exit(91);
    if (epitaph_signal_set_handled(SIGUSR2, 1) != EPITAPH_OK) _exit(92);
    raise(SIGUSR2);
}

static void small_limits(void) {
    epitaph_limits limits = {
        .size_bytes = sizeof limits, .crashing_stack_bytes = 160, .registered_memory_bytes = 7};
    if (epitaph_limits_set(&limits) != EPITAPH_OK) _exit(90);
    write_to_nowhere();
}

static volatile char *repaired;
static int repairs;

/// Makes the page accessible, as a garbage collector does, and leaves errno alone.
static void repair(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_addr != repaired) _exit(90 + signal);
    int before = errno;
    mprotect((void *)repaired, 4096, PROT_READ | PROT_WRITE);
    errno = before;
    repairs++;
}

/// Faults on a page that a previous handler repairs; `errno` must live through it.
static void go_on(void) {
    repaired = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    epitaph_signal_set_handled(SIGSEGV, 0);
    struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    epitaph_signal_set_handled(SIGSEGV, 1);
    errno = 77;
    repaired[0] = 1;
    printf("errno %d, %d repair\n", errno, repairs);
    fflush(stdout);
    exit(0);
}

static struct sigaction displaced;

static void say(const char *words) {
    if (write(STDOUT_FILENO, words, strlen(words)) < 0) _exit(99);
}

/// A handler as libraries bring them: it calls the one it displaced.
static void later_handler(int signal, siginfo_t *info, void *context) {
    say("later handler\n");
    if ((displaced.sa_flags & SA_SIGINFO) != 0) displaced.sa_sigaction(signal, info, context);
}

static void displace(int signal) {
    struct sigaction action = {.sa_sigaction = later_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(signal, &action, &displaced);
}

static void be_displaced(void) {
    displace(SIGBUS);
    if (epitaph_handlers_check(0) != 1) _exit(90);
    write_to_nowhere();
}

/// Handlers that displaced ours, and a clean end that lists them.
static void be_displaced_and_stop(void) {
    displace(SIGBUS);
    epitaph_stop();
    exit(0);
}

static void be_displaced_and_exit(void) {
    displace(SIGBUS);
    if (epitaph_handlers_check(0) != 1) _exit(90);
    exit(0);
}

static void be_displaced_and_called(void) {
    displace(SIGSEGV);
    write_to_nowhere();
}

static void retake(void) {
    if (epitaph_handlers_check(0) != 0) _exit(90);
    displace(SIGSEGV);
    if (epitaph_handlers_check(1) != 1 || epitaph_handlers_check(0) != 0) _exit(91);
    write_to_nowhere();
}

static void retake_and_stop(void) {
    displace(SIGSEGV);
    if (epitaph_handlers_check(1) != 1) _exit(91);
    epitaph_stop();
    write_to_nowhere();
}

/// Its handlers return: it raises a signal from one place, with another handler each time.
static void retake_and_raise(void) {
    for (int i = 0; i < 4; i++) {
        displace(SIGABRT);
        displaced.sa_flags = 0;
        if (epitaph_handlers_check(1) != 1) _exit(91);
        raise(SIGABRT);
    }
    exit(0);
}

static unsigned rounds;

static void *hammer(void *argument) {
    long number = (long)argument;
    char name[16];
    const size_t size = 20000;
    char *value = malloc(size);
    sigset_t all;
    sigfillset(&all);
    // The handler cannot stop this thread.
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (unsigned round = 0;; round++) {
        snprintf(name, sizeof name, "hammer-%ld", number % 4);
        // Long and short in turn: a long one is overwritten soon after it was current.
        size_t length = round % 2 == 0 ? size - 1 : 1;
        memset(value, 'a' + (int)(round / 2 % 26), length);
        value[length] = 0;
        epitaph_annotation_set(name, value);
        if (round % 64 == 63) epitaph_annotation_remove(name);
        __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void crash_under_the_hammer(void) {
    epitaph_limits limits = {.size_bytes = sizeof limits, .stop_timeout_ms = 20};
    epitaph_limits_set(&limits);
    pthread_t thread;
    for (long i = 0; i < 8; i++)
        pthread_create(&thread, NULL, hammer, (void *)i);
    while (__atomic_load_n(&rounds, __ATOMIC_RELAXED) < 5000)
        sched_yield();
    write_to_nowhere();
}

static void execute(void) {
    static const char script[] = "ls -l /proc/self/fd; cat /proc/self/status";
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
}

static const struct {
    const char *name;
    void (*function)(void);
} ways[] = {
    {"disabled", disable},
    {"enabled-again", disable_and_enable},
    {"given-up", give_up_signal},
    {"taken-again", give_up_and_take_signal},
    {"taken", take_signal},
    {"small-limits", small_limits},
    {"repaired", go_on},
    {"displaced", be_displaced},
    {"displaced-stop", be_displaced_and_stop},
    {"displaced-exit", be_displaced_and_exit},
    {"displaced-chained", be_displaced_and_called},
    {"retaken", retake},
    {"retaken-stopped", retake_and_stop},
    {"retaken-raising", retake_and_raise},
    {"hammered", crash_under_the_hammer},
    {"exec-showing-status", execute},
};

void crash_by_choice(const char *name) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0) ways[i].function();
    }
}
