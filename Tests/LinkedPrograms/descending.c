// SPDX-License-Identifier: Apache-2.0
//
// descending [keep | assert]: deletes its file unless it is to keep it, and ends some calls deep
// by abort(3), or assert(3), beside a thread that waits.

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 3 };

static volatile int count;
static int asserts;

static volatile pid_t waiting_tid;

static void *wait_long(void *argument) {
    waiting_tid = (pid_t)syscall(SYS_gettid);
    while (count < 1)
        pause();
    return argument;
}

/// The thread sleeps nowhere but in pause(2) once it has told its number.
static int sleeps(pid_t tid) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%*d %*s %c", &state) != 1) state = 0;
    if (file != NULL) fclose(file);
    return state == 'S';
}

__attribute__((noinline)) static void descend(int depth) {
    if (depth == 0 && asserts) assert(count > DEPTH);
    if (depth == 0) abort();
    descend(depth - 1);
    count++;
}

int main(int argument_count, char **arguments) {
    pthread_t waiting;
    if (argument_count == 1 && unlink(arguments[0]) != 0) return 1;
    asserts = argument_count > 1 && strcmp(arguments[1], "assert") == 0;
    if (pthread_create(&waiting, NULL, wait_long, NULL) != 0) return 2;
    while (waiting_tid == 0 || !sleeps(waiting_tid))
        usleep(1000);
    descend(DEPTH);
    return 0;
}
