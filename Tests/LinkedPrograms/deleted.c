// SPDX-License-Identifier: Apache-2.0
//
// deleted [keep]: deletes its own file unless it is to keep it, and ends some calls deep by
// abort(3), beside a thread that waits.

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 3 };

static volatile int count;

static void *wait_long(void *argument) {
    while (count < 1)
        pause();
    return argument;
}

__attribute__((noinline)) static void descend(int depth) {
    if (depth == 0) abort();
    descend(depth - 1);
    count++;
}

int main(int argument_count, char **arguments) {
    pthread_t waiting;
    if (argument_count == 1 && unlink(arguments[0]) != 0) return 1;
    if (pthread_create(&waiting, NULL, wait_long, NULL) != 0) return 2;
    usleep(20000);
    descend(DEPTH);
    return 0;
}
