// SPDX-License-Identifier: Apache-2.0
//
// Crashes of and beside other processes.

#include "crashes.h"
#include "ways.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

/// Proper use of vfork(2) is tested elsewhere; here the child does what it must not.
__attribute__((noinline)) static pid_t spawn(void (*child)(void)) {
    pid_t pid = vfork();
    if (pid == 0) {
        child();
        _exit(75);
    }
    return pid;
}

static void null_write(void) {
    crash("null-write");
}

/// The child dies; then the parent does, of something else.
WAY crash_in_vfork_child(void) {
    int status = 0;
    waitpid(spawn(null_write), &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) exit(76);
    crash("abort");
}

static void tiny_stack(void) {
    crash("tiny-stack");
}

WAY crash_in_vfork_child_on_tiny_stack(void) {
    int status = 0;
    waitpid(spawn(tiny_stack), &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) exit(76);
    crash("tiny-stack");
}

static uint32_t go;
static uint32_t has_child;

static void crash_on_go(void) {
    __atomic_store_n(&has_child, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) == 0)
        continue;
    crash("null-write");
}

static void *wait_for_crashing_child(void *argument) {
    spawn(crash_on_go);
    return argument;
}

/// The child and another thread of its parent die at the same moment, in the same memory.
WAY crash_with_vfork_child(void) {
    start_threads(1, wait_for_crashing_child);
    while (__atomic_load_n(&has_child, __ATOMIC_ACQUIRE) == 0)
        usleep(100);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    crash("abort");
}

static void *fork_for_ever(void *argument) {
    for (;;) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child > 0) waitpid(child, NULL, 0);
    }
    return argument;
}

WAY crash_beside_fork(void) {
    start_threads(2, fork_for_ever);
    crash("null-write");
}

/// Sleeps until the thread that made it dies.
static void sleep_with_parent(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause();
}

static int sleeper;

static void *wait_uninterruptibly(void *argument) {
    pthread_setname_np(pthread_self(), "disk-sleep");
    __atomic_store_n(&sleeper, gettid(), __ATOMIC_RELEASE);
    spawn(sleep_with_parent);
    return argument;
}

/// The third field of the thread's stat, proc(5).
static char state_of(int tid) {
    char path[64];
    char state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    fclose(file);
    return state;
}

/// A parent in vfork(2) waits in state D and takes no signal but SIGKILL.
WAY crash_beside_disk_sleep(void) {
    start_threads(1, wait_uninterruptibly);
    for (int i = 0; i < 10000 && state_of(__atomic_load_n(&sleeper, __ATOMIC_ACQUIRE)) != 'D'; i++)
        usleep(1000);
    crash("null-write");
}

const way process_ways[] = {
    {"vfork-child", crash_in_vfork_child},
    {"with-vfork-child", crash_with_vfork_child},
    {"vfork-child-on-tiny-stack", crash_in_vfork_child_on_tiny_stack},
    {"beside-fork", crash_beside_fork},
    {"beside-disk-sleep", crash_beside_disk_sleep},
    {NULL, NULL},
};
