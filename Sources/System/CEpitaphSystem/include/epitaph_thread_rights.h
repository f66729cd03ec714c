// SPDX-License-Identifier: Apache-2.0
//
// Rights of one thread. libc's setgroups(3) changes those of all threads, and it has nothing for
// capabilities; the system calls themselves are of the calling thread alone, credentials(7).
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Bits by the numbers of linux/capability.h.
struct epitaph_capabilities {
    uint64_t effective;
    uint64_t permitted;
    uint64_t inheritable;
};

/// setfsuid(2) and setfsgid(2): return who it was before, whether they did it or not. UINT32_MAX,
/// which is nobody, changes nothing.
uint32_t epitaph_thread_set_file_user(uint32_t user);
uint32_t epitaph_thread_set_file_group(uint32_t group);

/// Each returns 0, or -1 with errno.
int epitaph_thread_set_groups(size_t count, const uint32_t *groups);
int epitaph_thread_capabilities(struct epitaph_capabilities *capabilities);
int epitaph_thread_set_capabilities(const struct epitaph_capabilities *capabilities);

/// Capabilities that let a process pass over who owns a file: those that the kernel takes from a
/// thread whose file system user is no longer 0, CAP_FS_MASK.
extern const uint64_t epitaph_file_capabilities;

/// PR_GET_DUMPABLE and PR_SET_DUMPABLE of prctl(2), of the whole process. Negative on failure.
int epitaph_dumpable(void);
int epitaph_set_dumpable(int dumpable);

/// PR_GET_PDEATHSIG and PR_SET_PDEATHSIG of prctl(2), of the thread. Negative on failure.
int epitaph_parent_death_signal(void);
int epitaph_set_parent_death_signal(int signal);

/// environ(7), ended by NULL. NULL where there is none, and in a program that has more rights than
/// its user (AT_SECURE, getauxval(3)), who chose it.
char *const *epitaph_trusted_environment(void);

#pragma GCC visibility pop
