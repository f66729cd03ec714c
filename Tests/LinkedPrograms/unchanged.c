// SPDX-License-Identifier: Apache-2.0
//
// A program that knows nothing of Epitaph, for LD_PRELOAD.
//
//     unchanged WAY [PROGRAM [ARGUMENT...]]

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
#else
#define __sigaction sigaction
#endif

/// Of a library whose constructor runs before that of a preloaded one; see early.c.
extern int early_result(void) __attribute__((weak));

static void on_signal(int signal) {
    static const char text[] = "handler\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(71);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

static void *overflow(void *argument) {
    volatile char frame[4096];
    frame[0] = 1;
    return frame[0] == 0 ? argument : overflow((void *)frame);
}

static int crash(void) {
    *(volatile int *)16 = 1;
    return 1;
}

/// Everything that a program can see of its environment.
static int print_environment(char **first) {
    for (char **each = first; *each != NULL; each++)
        printf("main %s\n", *each);
    for (char **each = environ; *each != NULL; each++)
        printf("environ %s\n", *each);
    return 0;
}

static int execute(char **words) {
    execvp(words[0], words);
    return 127;
}

/// All threads have the same alternate stack, as varnish's have.
static stack_t shared;

static void *wait_on_shared(void *argument) {
    if (sigaltstack(&shared, NULL) != 0) _exit(72);
    for (;;)
        pause();
    return argument;
}

static int crash_with_shared_stack(void) {
    struct sigaction action;
    pthread_t thread;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    shared.ss_size = 64 << 10;
    shared.ss_sp = malloc(shared.ss_size);
    if (sigaltstack(&shared, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0) return 1;
    for (int i = 0; i < 40; i++) {
        if (pthread_create(&thread, NULL, wait_on_shared, NULL) != 0) return 1;
    }
    usleep(200000);
    return crash();
}

static int crash_in_child(void) {
    pid_t child = fork();
    if (child == 0) _exit(crash());
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    printf("child ended by %d\n", WTERMSIG(status));
    return 0;
}

int main(int count, char **arguments, char **variables) {
    const char *way = count > 1 ? arguments[1] : "";
    struct sigaction action;
    pthread_t thread;
    setvbuf(stdout, NULL, _IOLBF, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    if (strcmp(way, "fault") == 0) return crash();
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "errno") == 0) return errno;
    if (strcmp(way, "environment") == 0) return print_environment(variables);
    if (strcmp(way, "execute") == 0) return execute(arguments + 2);
    if (strcmp(way, "child") == 0) return crash_in_child();
    if (strcmp(way, "handler") == 0) return signal(SIGSEGV, on_signal) == SIG_ERR || crash();
    if (strcmp(way, "alias") == 0) return __sigaction(SIGSEGV, &action, NULL) != 0 || crash();
    if (strcmp(way, "shared-stack") == 0) return crash_with_shared_stack();
    if (strcmp(way, "ignoring") == 0) {
        signal(SIGXFSZ, SIG_IGN);
        return crash();
    }
    if (strcmp(way, "early") == 0) return early_result == NULL || early_result() || crash();
    if (strcmp(way, "overflow-thread") == 0) {
        if (pthread_create(&thread, NULL, overflow, NULL) != 0) return 1;
        return pthread_join(thread, NULL);
    }
    return strcmp(way, "exit") == 0 ? 5 : 64;
}
