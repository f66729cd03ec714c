// SPDX-License-Identifier: Apache-2.0
//
// What a signal says: the fields of its siginfo, and its name. ANY-TIME.

#ifndef EPITAPH_SIGNALS_SIGNAL_FACTS_H
#define EPITAPH_SIGNALS_SIGNAL_FACTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Which fields of a siginfo are set.

/// asm-generic/siginfo.h: SI_MAX_SIZE
enum { EPITAPH_KERNEL_SIGINFO_SIZE = 128 };

/// The contents of a siginfo: which fields are set depends on signal and code, sigaction(2).
typedef struct epitaph_signal_values {
    bool has_address;
    bool has_sender;
    uint64_t address;
    int32_t sender_pid;
    uint32_t sender_uid;
} epitaph_signal_values;

/// ANY-TIME.
epitaph_signal_values epitaph_signal_values_of(int signal, const siginfo_t *info);

// Names of signals and their codes, as in signal(7) and sigaction(2).

/// NULL for a signal that has no name here.
const char *epitaph_signal_name(int signal);
const char *epitaph_signal_code_name(int signal, int code);

#pragma GCC visibility pop

#endif
