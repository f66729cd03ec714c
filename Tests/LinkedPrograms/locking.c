// SPDX-License-Identifier: Apache-2.0
//
// locking DATABASE: locks its memory, makes 20 threads, and prints by how many KiB that raised its
// locked and its resident memory; with "none" for the database without the library.

#include <epitaph.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 20, STACK = 64 << 10 };

static pthread_barrier_t all;

static void *wait_for_all(void *argument) {
    pthread_barrier_wait(&all);
    while (pause() != 0)
        continue;
    return argument;
}

static long status(const char *name) {
    char line[256];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), "%ld", &value);
    }
    fclose(file);
    return value;
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.locking";
    if (strcmp(arguments[1], "none") != 0 && epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 71;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_barrier_init(&all, NULL, THREADS + 1);
    long locked = status("VmLck:");
    long resident = status("VmRSS:");
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, wait_for_all, NULL) != 0) return 72;
    }
    pthread_barrier_wait(&all);
    printf("%ld %ld\n", status("VmLck:") - locked, status("VmRSS:") - resident);
    return 0;
}
