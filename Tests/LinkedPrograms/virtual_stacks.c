// SPDX-License-Identifier: Apache-2.0
//
// What a program finds of its alternate stacks, printed, so that it can be compared with and
// without Epitaph.
//
//     virtual_stacks DATABASE|none answers|earlier|overflow|overflow-thread

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 15 };

static void start(const char *database) {
    if (strcmp(database, "none") == 0) return;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.stacks";
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(71);
}

static _Thread_local char own[STACK_BYTES];

static void tell(const char *what, const stack_t *stack) {
    const char *start = stack->ss_sp == own ? "its own" : stack->ss_sp == NULL ? "none" : "another";
    char text[96];
    snprintf(text, sizeof text, "%s: %s, %zu bytes, flags %#x\n", what, start, stack->ss_size,
             (unsigned)stack->ss_flags);
    say(text);
}

static void ask(const char *what) {
    stack_t stack;
    memset(&stack, 0x5a, sizeof stack);
    if (sigaltstack(NULL, &stack) == 0) tell(what, &stack);
}

static void ask_in_handler(int signal) {
    (void)signal;
    ask("in a handler");
}

/// Sets one of its own for a while, as libraries do.
static void *set_and_restore(void *argument) {
    stack_t mine = {.ss_sp = own, .ss_size = STACK_BYTES};
    stack_t before, after;
    ask("at first");
    raise(SIGSEGV);
    sigaltstack(&mine, &before);
    tell("before", &before);
    ask("set");
    raise(SIGSEGV);
    sigaltstack(&before, &after);
    tell("while it was set", &after);
    ask("restored");
    raise(SIGSEGV);
    return argument;
}

static void wait_for(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    char text[32];
    snprintf(text, sizeof text, "child %#x\n", (unsigned)status);
    say(text);
}

static void answers(void) {
    struct sigaction action = {.sa_handler = ask_in_handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    set_and_restore(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, set_and_restore, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        set_and_restore(NULL);
        _exit(3);
    }
    wait_for(child);
    child = vfork();
    if (child == 0) {
        ask("after vfork");
        _exit(4);
    }
    wait_for(child);
    ask("at last");
}

static pthread_barrier_t barrier;

static void *be_there_before(void *argument) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return set_and_restore(argument);
}

/// A thread that is older than the start of Epitaph, which offers it a stack.
static void earlier(const char *database) {
    struct sigaction action = {.sa_handler = ask_in_handler, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, be_there_before, NULL);
    pthread_barrier_wait(&barrier);
    start(database);
    sigaction(SIGSEGV, &action, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
}

static void tell_overflow(int signal) {
    (void)signal;
    say("a stack has overflowed\n");
    abort();
}

/// As Rust's runtime does: library/std/src/sys/pal/unix/stack_overflow.rs.
static void prepare_as_a_runtime(void) {
    struct sigaction action = {.sa_handler = tell_overflow, .sa_flags = SA_ONSTACK};
    stack_t stack;
    sigaction(SIGSEGV, &action, NULL);
    sigaltstack(NULL, &stack);
    if ((stack.ss_flags & SS_DISABLE) == 0) return;
    stack_t made = {.ss_sp = own, .ss_size = STACK_BYTES};
    sigaltstack(&made, NULL);
}

static void overflow(volatile int *last) {
    volatile int here[1024];
    here[0] = last == NULL ? 0 : *last;
    overflow(here);
    here[1] = 0;
}

static void *overflow_in_runtime(void *argument) {
    prepare_as_a_runtime();
    overflow(NULL);
    return argument;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    const char *way = arguments[2];
    if (strcmp(way, "earlier") == 0) {
        earlier(arguments[1]);
        return 0;
    }
    start(arguments[1]);
    if (strcmp(way, "answers") == 0) answers();
    if (strcmp(way, "overflow") == 0) overflow_in_runtime(NULL);
    if (strcmp(way, "overflow-thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, overflow_in_runtime, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
