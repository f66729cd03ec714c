// SPDX-License-Identifier: Apache-2.0
//
// churning DATABASE HOW ROUNDS [KEYS]: starts and ends 1,000 threads ROUNDS times, each in the way
// HOW; prints how many mappings and pages the process has after the tenth time and at the end. With
// KEYS that many keys of pthread_key_create(3) are in use before.

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 1000, SETTLED = 10, STACK = 64 << 10, OWN_STACK = 32 << 10 };

static const char *how;
static char own_stacks[THREADS][OWN_STACK];
static pthread_barrier_t all;

static void set_own_stack(long number) {
    stack_t stack = {.ss_sp = own_stacks[number], .ss_size = OWN_STACK};
    if (sigaltstack(&stack, NULL) != 0) _exit(71);
}

static void *live(void *argument) {
    if (strcmp(how, "own-stack") == 0) set_own_stack((long)argument);
    pthread_barrier_wait(&all);
    if (strcmp(how, "exit") == 0) pthread_exit(argument);
    while (strcmp(how, "cancel") == 0)
        pause();
    return argument;
}

static long mappings(void) {
    long count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int byte; (byte = fgetc(maps)) != EOF;)
        count += byte == '\n';
    fclose(maps);
    return count;
}

static long pages(void) {
    long size = 0;
    long resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (fscanf(statm, "%ld %ld", &size, &resident) != 2) _exit(72);
    fclose(statm);
    return resident;
}

static void run_once(pthread_attr_t *attributes) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], attributes, live, (void *)i) != 0) _exit(73);
    }
    pthread_barrier_wait(&all);
    for (long i = 0; i < THREADS; i++) {
        if (strcmp(how, "cancel") == 0) pthread_cancel(threads[i]);
        pthread_join(threads[i], NULL);
    }
}

int main(int count, char **arguments) {
    how = arguments[2];
    int rounds = atoi(arguments[3]);
    for (long keys = count > 4 ? atol(arguments[4]) : 0; keys > 0; keys--) {
        pthread_key_t key;
        pthread_key_create(&key, NULL);
    }
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.churning";
    if (strcmp(how, "none") != 0 && epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_barrier_init(&all, NULL, THREADS + 1);
    for (int round = 1; round <= rounds; round++) {
        run_once(&attributes);
        if (round == SETTLED || round == rounds) printf("%ld %ld\n", mappings(), pages());
    }
    return 0;
}
