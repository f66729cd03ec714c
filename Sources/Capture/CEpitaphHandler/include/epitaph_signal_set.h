// SPDX-License-Identifier: Apache-2.0
//
// Sets of signals in the kernel's form: bit n - 1 of 64 is signal n. Internal to the package.

#ifndef EPITAPH_SIGNAL_SET_H
#define EPITAPH_SIGNAL_SET_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// One past the highest signal number.
    EPITAPH_SIGNAL_LIMIT = 65,
};

#define EPITAPH_ALL_SIGNALS (~0ull)

/// The set of one signal.
static inline uint64_t epitaph_signal_bit(int signal) {
    return 1ull << (signal - 1);
}

static inline bool epitaph_signals_have(uint64_t signals, int signal) {
    return (signals & epitaph_signal_bit(signal)) != 0;
}

/// Signals that the processor raises for an instruction. Our handlers never block them: a fault
/// whose signal is blocked ends the process at once.
static inline uint64_t epitaph_fault_signals(void) {
    return epitaph_signal_bit(SIGSEGV) | epitaph_signal_bit(SIGBUS) | epitaph_signal_bit(SIGFPE) |
           epitaph_signal_bit(SIGILL) | epitaph_signal_bit(SIGTRAP) | epitaph_signal_bit(SIGSYS);
}

/// Signals that a person sends, or a limit that is reached. A program that has a handler for one
/// goes on: SIGQUIT is how nginx is asked to finish, and how PostgreSQL ends its processes.
static inline uint64_t epitaph_request_signals(void) {
    return epitaph_signal_bit(SIGQUIT) | epitaph_signal_bit(SIGXCPU) | epitaph_signal_bit(SIGXFSZ);
}

#pragma GCC visibility pop

#endif
