// SPDX-License-Identifier: Apache-2.0

// Makes each synchronisation of the program it is preloaded into take as long as on a disk, beside
// what it takes anyway: EPITAPH_SYNC_US microseconds, 4,000 unless given.
//
//     cc -shared -fPIC -O2 -o slow_disk.so slow_disk.c -ldl

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
    const char *text = getenv("EPITAPH_SYNC_US");
    const long microseconds = text ? atol(text) : 4000;
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

#define SLOW(name)                                               \
    int name(int descriptor) {                                   \
        static int (*real)(int);                                 \
        if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, #name); \
        wait_for_disk();                                         \
        return real(descriptor);                                 \
    }

SLOW(fsync)
SLOW(fdatasync)
SLOW(syncfs)
