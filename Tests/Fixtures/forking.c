// SPDX-License-Identifier: Apache-2.0
//
// A thread of ours holds a lock for nearly all the time, and leaves it only to wait. Its program
// forks again and again, and each child takes the lock, as if it were one of the Swift runtime.
// With `on-and-on` the thread never waits. With `handler` a thread of the program's calls us under
// a lock that a handler of pthread_atfork(3) takes, which runs after ours.

#include "CEpitaphSystem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_locked;

static void *work(void *unused) {
    (void)unused;
    epitaph_work_begin();
    while (true) {
        pthread_mutex_lock(&lock);
        is_locked = 1;
        usleep(1000);
        pthread_mutex_unlock(&lock);
        epitaph_wait_microseconds(1);
    }
    return NULL;
}

static void *work_on_and_on(void *unused) {
    epitaph_work_begin();
    is_locked = 1;
    while (true)
        usleep(1000);
    return unused;
}

static bool is_handled;

static void take(void) {
    if (is_handled) pthread_mutex_lock(&lock);
}

static void give(void) {
    if (is_handled) pthread_mutex_unlock(&lock);
}

/// As in a library that is loaded before ours.
__attribute__((constructor(101))) static void handle_forks(void) {
    pthread_atfork(take, give, give);
}

static void *call(void *unused) {
    static uint32_t ours;
    while (true) {
        take();
        is_locked = 1;
        for (int i = 0; i < 50; i++) {
            epitaph_lock_take(&ours);
            usleep(20);
            epitaph_lock_give(&ours);
        }
        give();
        usleep(200);
    }
    return unused;
}

static bool is_set(int count, char **arguments, const char *word) {
    return count > 1 && strcmp(arguments[1], word) == 0;
}

int main(int count, char **arguments) {
    void *(*function)(void *) = is_set(count, arguments, "on-and-on") ? work_on_and_on : work;
    if (is_set(count, arguments, "handler")) {
        is_handled = true;
        function = call;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    while (!is_locked)
        usleep(100);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            pthread_mutex_lock(&lock);
            // Its own threads work, too, and wait for nobody.
            epitaph_work_begin();
            epitaph_wait_microseconds(1);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) return printf("child %d ended with status %d\n", i, status), 1;
    }
    return 0;
}
