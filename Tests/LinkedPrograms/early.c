// SPDX-License-Identifier: Apache-2.0
//
// A library whose constructor calls what a preloaded library stands in for, before the constructor
// of that one has run.

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int result = 1;

static void *pass(void *argument) {
    return argument;
}

static void *wait_for_ever(void *argument) {
    for (;;)
        pause();
    return argument;
}

__attribute__((constructor)) static void begin(void) {
    pthread_t first, second;
    if (signal(SIGUSR1, SIG_IGN) == SIG_ERR) return;
    if (pthread_create(&first, NULL, pass, NULL) != 0) return;
    if (pthread_join(first, NULL) != 0) return;
    if (pthread_create(&second, NULL, wait_for_ever, NULL) != 0) return;
    struct sigaction action;
    if (sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN) result = 0;
}

int early_result(void) {
    return result;
}
