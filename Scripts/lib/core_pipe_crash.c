// SPDX-License-Identifier: Apache-2.0
//
// What Scripts/core-pipe lets crash: with a waiting thread, a page that is left out of cores, and $TOKEN in its memory.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_barrier_t barrier;
static void *wait_there(void *nothing) {
    prctl(PR_SET_NAME, "waiter");
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return nothing;
}
__attribute__((noinline)) static void deepest(volatile int *place, char *hidden) {
    *place = hidden[0];
}
int main(void) {
    pthread_t thread;
    char *hidden = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(hidden, 4096, MADV_DONTDUMP);
    strcpy(hidden, "not-to-be-dumped");
    char *copy = strdup(getenv("TOKEN") ? getenv("TOKEN") : "nothing");
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, wait_there, NULL);
    pthread_barrier_wait(&barrier);
    usleep(20000);
    deepest((volatile int *)(long)(copy[0] & 16), hidden);
    return 0;
}
