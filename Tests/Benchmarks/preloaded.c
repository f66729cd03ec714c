// SPDX-License-Identifier: Apache-2.0
//
// What Tests/Benchmarks/preload.py measures inside of a program that was not built with Epitaph.
//
//     preloaded exit | threads | forks USER [ALLOCATIONS] | faults
//               | allocations USER THREADS | dies | dies-deaf
//
// Prints microseconds for a fork or a fault (of the processor) or a thread, kB of private memory,
// and nanoseconds of the processor for an allocation and its end. The last two print "ready" and
// crash beside threads, in dies-deaf such that block every signal.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ALLOCATIONS = 20000000, ALLOCATION_ROUNDS = 5 };
enum { FORKS = 300, FAULTS = 3000, ROUNDS = 5, CREATED = 2000, THREADS = 200, DYING = 50 };

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/// proc(5), smaps_rollup: what is this process's alone.
static long private_kb(void) {
    char line[256];
    long total = 0, kb;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (file == NULL) exit(1);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "Private_Clean: %ld kB", &kb) == 1) total += kb;
        if (sscanf(line, "Private_Dirty: %ld kB", &kb) == 1) total += kb;
    }
    fclose(file);
    return total;
}

static pthread_barrier_t barrier;

static void *pass(void *argument) {
    return argument;
}

static void *stay(void *argument) {
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return argument;
}

static int measure_threads(void) {
    pthread_t thread;
    private_kb();
    long rest = private_kb();
    printf("rest %ld\n", rest);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, stay, NULL) != 0) return 1;
    }
    pthread_barrier_wait(&barrier);
    printf("thread %.1f\n", (double)(private_kb() - rest) / THREADS);
    double began = now_us();
    for (int i = 0; i < CREATED; i++) {
        if (pthread_create(&thread, NULL, pass, NULL) != 0) return 1;
        pthread_join(thread, NULL);
    }
    printf("create %.2f\n", (now_us() - began) / CREATED);
    return 0;
}

/// Processor time of this process and of its children that have ended.
static double processor_us(void) {
    double us = 0;
    for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
        struct rusage usage;
        getrusage(who, &usage);
        us += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
              (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return us;
}

static void *allocate(void *count) {
    void *volatile block;
    for (long i = 0; i < (long)(intptr_t)count; i++) {
        block = malloc(24 + (size_t)(i & 255));
        free(block);
    }
    return NULL;
}

/// Not by the clock, and the quickest of some rounds: other processes are at work.
static int measure_forks(long allocations) {
    int status;
    double fewest = 1e9;
    allocate((void *)allocations);
    for (int round = 0; round < ROUNDS; round++) {
        double began = processor_us();
        for (int i = 0; i < FORKS; i++) {
            pid_t child = fork();
            if (child == 0) _exit(0);
            if (child < 0 || waitpid(child, &status, 0) != child) return 1;
        }
        double us = (processor_us() - began) / FORKS;
        if (us < fewest) fewest = us;
    }
    printf("fork %.2f\n", fewest);
    fflush(stdout);
    if (fork() == 0) {
        printf("child %ld\n", private_kb());
        fflush(stdout);
        _exit(0);
    }
    wait(&status);
    return 0;
}

static sigjmp_buf way_out;

static void jump(int signal) {
    (void)signal;
    siglongjmp(way_out, 1);
}

/// As runtimes repair them.
static int measure_faults(void) {
    double fewest = 1e9;
    signal(SIGSEGV, jump);
    for (int round = 0; round < ROUNDS; round++) {
        double began = processor_us();
        for (volatile int i = 0; i < FAULTS; i++) {
            if (sigsetjmp(way_out, 1) == 0) *(volatile int *)16 = 1;
        }
        double us = (processor_us() - began) / FAULTS;
        if (us < fewest) fewest = us;
    }
    printf("fault %.2f\n", fewest);
    return 0;
}

static int die(int is_deaf) {
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_barrier_init(&barrier, NULL, DYING + 1);
    if (is_deaf) pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < DYING; i++) {
        if (pthread_create(&thread, NULL, stay, NULL) != 0) return 1;
    }
    if (is_deaf) pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_barrier_wait(&barrier);
    // So that all of them are in pause(2).
    usleep(20000);
    puts("ready");
    fflush(stdout);
    *(volatile int *)16 = 1;
    return 1;
}

static double processor_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/// The fastest round of some: the processor is not ours alone.
static int measure_allocations(int threads) {
    pthread_t running[DYING];
    long each = ALLOCATIONS / threads;
    double fastest = 0;
    for (int round = 0; round < ALLOCATION_ROUNDS; round++) {
        double began = processor_ns();
        for (int i = 0; i < threads; i++)
            if (pthread_create(&running[i], NULL, allocate, (void *)each) != 0) return 1;
        for (int i = 0; i < threads; i++)
            pthread_join(running[i], NULL);
        double took = (processor_ns() - began) / (double)(each * threads);
        if (round == 0 || took < fastest) fastest = took;
    }
    printf("allocation %.2f\nrest %ld\n", fastest, private_kb());
    return 0;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    if (strcmp(way, "threads") == 0) return measure_threads();
    if (strcmp(way, "forks") == 0 && count > 2)
        return measure_forks(count > 3 ? atol(arguments[3]) : 0);
    if (strcmp(way, "faults") == 0) return measure_faults();
    if (strcmp(way, "allocations") == 0 && count > 3)
        return measure_allocations(atoi(arguments[3]));
    if (strcmp(way, "dies") == 0) return die(0);
    if (strcmp(way, "dies-deaf") == 0) return die(1);
    return strcmp(way, "exit") != 0;
}
