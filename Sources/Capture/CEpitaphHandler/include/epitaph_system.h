// SPDX-License-Identifier: Apache-2.0
//
// Owned descriptors, names of directories and signal sets. Internal to the package.

#ifndef EPITAPH_SYSTEM_H
#define EPITAPH_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// How often a call on a file that is answered EINTR is made: a server of files (FUSE, NFS) may
/// answer so without a signal, and again each time.
enum { EPITAPH_INTERRUPTIONS_LIMIT = 100 };

// A descriptor with a proof that it is ours. A program may close every descriptor it does not know
// (closefrom(3), a loop of close(2)) and reuse the numbers, or dup2(2) over ours. So before each
// use the open file is compared with the one that was opened.

typedef struct epitaph_owned_file {
    /// -1: none.
    int fd;
    /// `st_dev` and `st_ino`, stat(3type): identify the file while it is open or mapped anywhere.
    uint64_t device;
    uint64_t inode;
} epitaph_owned_file;

/// ANY-TIME. Moves `fd` to a high number, out of the way of a shell's `exec 3>>` and of programs
/// that assume 0 to 2 are the standard streams. Returns 0, or a negative errno with `fd` closed.
long epitaph_owned_file_adopt(epitaph_owned_file *file, int fd);

/// ANY-TIME. Duplicates `fd`, which stays the caller's, to a high number.
long epitaph_owned_file_duplicate(epitaph_owned_file *file, int fd);

/// ANY-TIME. Whether the number still refers to the adopted file.
bool epitaph_owned_file_prove(const epitaph_owned_file *file);

bool epitaph_owned_file_equals(const epitaph_owned_file *left, const epitaph_owned_file *right);

/// ANY-TIME. Takes over `found`, opened by name, if it is the same file, or closes it: -ENOENT.
long epitaph_owned_file_take_back(epitaph_owned_file *file, const epitaph_owned_file *found);

/// ANY-TIME. Closes the descriptor if it is still ours, and forgets it.
void epitaph_owned_file_close(epitaph_owned_file *file);

/// QUIET-TIME. Chooses where high numbers begin, below the process's limit.
void epitaph_owned_file_choose_numbers(void);

// ANY-TIME. Iterates over the names in the output of getdents64(2), records of `struct
// linux_dirent64`: inode u64, offset u64, length u16, type u8, NUL-terminated name.

typedef struct epitaph_directory_entries {
    const uint8_t *next;
    const uint8_t *end;
} epitaph_directory_entries;

static inline epitaph_directory_entries epitaph_directory_entries_of(const void *listing,
                                                                     size_t count) {
    epitaph_directory_entries entries = {listing, (const uint8_t *)listing + count};
    return entries;
}

/// The next name, at most `limit` bytes with its NUL; NULL at the end or at an invalid record.
static inline const char *epitaph_directory_entries_next(epitaph_directory_entries *entries,
                                                         size_t *limit) {
    enum { LENGTH_OFFSET = 16, NAME_OFFSET = 19 };
    size_t left = (size_t)(entries->end - entries->next);
    if (left <= NAME_OFFSET) return NULL;
    size_t bytes = entries->next[LENGTH_OFFSET] | (size_t)entries->next[LENGTH_OFFSET + 1] << 8;
    if (bytes <= NAME_OFFSET || bytes > left) return NULL;
    const char *name = (const char *)entries->next + NAME_OFFSET;
    *limit = bytes - NAME_OFFSET;
    entries->next += bytes;
    return name;
}

// Signal sets in the kernel's form: bit n - 1 of 64 is signal n.

enum {
    EPITAPH_SIGNAL_LIMIT = 65,
};

#define EPITAPH_ALL_SIGNALS (~0ull)

static inline uint64_t epitaph_signal_bit(int signal) {
    return 1ull << (signal - 1);
}

static inline bool epitaph_signals_have(uint64_t signals, int signal) {
    return (signals & epitaph_signal_bit(signal)) != 0;
}

/// Signals raised by an instruction. Our handlers never block them: that would end the process.
static inline uint64_t epitaph_fault_signals(void) {
    return epitaph_signal_bit(SIGSEGV) | epitaph_signal_bit(SIGBUS) | epitaph_signal_bit(SIGFPE) |
           epitaph_signal_bit(SIGILL) | epitaph_signal_bit(SIGTRAP) | epitaph_signal_bit(SIGSYS);
}

/// Signals that a program with a handler answers. SIGQUIT asks nginx to finish, PostgreSQL ends its
/// processes with it, and limits are reached. By SIGSYS a sandbox or an emulator gets each system
/// call to answer, perhaps ours too.
static inline uint64_t epitaph_answered_signals(void) {
    return epitaph_signal_bit(SIGQUIT) | epitaph_signal_bit(SIGXCPU) | epitaph_signal_bit(SIGXFSZ) |
           epitaph_signal_bit(SIGSYS);
}

#pragma GCC visibility pop

#endif
