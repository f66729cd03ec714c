// SPDX-License-Identifier: Apache-2.0
//
// Descriptors that are proven to be ours, and sets of signals. Internal to the package.

#ifndef EPITAPH_SYSTEM_H
#define EPITAPH_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// A descriptor that is ours, and the proof. A program may close every descriptor it does not know
// (closefrom(3), a loop of close(2)) and open files of its own under the same numbers, or dup2(2)
// one of its own over ours. So the number proves nothing: before each use the file behind it is
// compared with the one that was opened.

typedef struct epitaph_owned_file {
    /// -1 while there is none.
    int fd;
    /// `st_dev` and `st_ino`, stat(3type). They belong to the file as long as it exists, and it
    /// exists as long as it is open or mapped anywhere.
    uint64_t device;
    uint64_t inode;
} epitaph_owned_file;

/// ANY-TIME. Moves `fd` to a high number, out of the way of a shell's `exec 3>>` and of programs
/// that assume standard input, output and error are 0 to 2 whatever is open there. Returns 0, or a
/// negative errno, in which case `fd` is closed.
long epitaph_owned_file_adopt(epitaph_owned_file *file, int fd);

/// ANY-TIME. The same under the lowest free number above standard error: for a descriptor that is
/// held in reserve to be closed in a crash, when the program may have lowered its limit. `fd` stays
/// the caller's.
long epitaph_owned_file_duplicate_low(epitaph_owned_file *file, int fd);

/// ANY-TIME. Whether the number still refers to the file that was adopted.
bool epitaph_owned_file_prove(const epitaph_owned_file *file);

/// ANY-TIME. Whether both are the same file.
bool epitaph_owned_file_equals(const epitaph_owned_file *left, const epitaph_owned_file *right);

/// ANY-TIME. Takes the descriptor of `found`, which was opened by the file's name, if it is the
/// same file; otherwise closes it and returns -ENOENT.
long epitaph_owned_file_take_back(epitaph_owned_file *file, const epitaph_owned_file *found);

/// ANY-TIME. Closes the descriptor if it is still ours, and forgets it.
void epitaph_owned_file_close(epitaph_owned_file *file);

/// QUIET-TIME. Determines where high numbers begin: below the process's limit.
void epitaph_owned_file_choose_numbers(void);

// Sets of signals in the kernel's form: bit n - 1 of 64 is signal n.

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
