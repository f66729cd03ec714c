// SPDX-License-Identifier: Apache-2.0
//
// The choices of a seed.

#include "random/random.h"

static uint64_t state;

void choose_seed(uint64_t seed) {
    state = seed;
}

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
unsigned chance(unsigned limit) {
    state += 0x9e3779b97f4a7c15;
    uint64_t value = state;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return (unsigned)((value ^ (value >> 31)) % limit);
}

int any_signal(void) {
    static const int signals[] = {SIGSEGV, SIGSEGV, SIGABRT, SIGABRT, SIGFPE,
                                  SIGILL,  SIGTRAP, SIGBUS,  SIGQUIT, SIGSYS,
                                  SIGXCPU, SIGXFSZ, SIGUSR1, SIGTERM, SIGPROF};
    return signals[chance(sizeof signals / sizeof *signals)];
}
