// SPDX-License-Identifier: Apache-2.0
//
// What Swift imports: what its module of glibc leaves out, rights of one thread, and the stack of
// the calling thread. Sockets, timers and futexes are QUIET-TIME.
#pragma once

#include "epitaph_caller_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// The demangler of C++ names in libstdc++, which Swift's runtime has already loaded: it is looked
// up and not linked, so that a program needs no additional library.

/// `__cxa_demangle` of the Itanium C++ ABI, 3.4; NULL with the status -3 if it is not available.
char *epitaph_cxa_demangle(const char *name, char *output, size_t *output_size, int *status);

// What Swift's module of glibc leaves out of statfs(2), sync(2) and getxattr(2).

/// The number of the file system that an open file is on: f_type of fstatfs(2), linux/magic.h.
///
/// Returns -1 with errno set if the kernel does not say.
long epitaph_file_system_number(int file);

/// syncfs(2) of the file system that an open file is on. Returns 0, or -1 with errno.
int epitaph_file_system_synchronize(int file);

/// Whether executing the file gives a process capabilities(7).
bool epitaph_file_gives_capabilities(const char *path);

// futex(2), which Swift's module of glibc leaves out: waiting for a word of this process without a
// file descriptor. QUIET-TIME; both preserve errno.

/// Sleeps while the word at `word` is `value`, until it is woken, a signal arrives or `nanoseconds`
/// of CLOCK_MONOTONIC have passed. It may also return for no reason: look at the word again.
///
/// - Parameter word: 4 bytes, aligned, that live at least as long as the wait.
void epitaph_futex_wait(const void *word, uint32_t value, int64_t nanoseconds);

/// Wakes one thread of this process that sleeps at the word, if there is one.
void epitaph_futex_wake(const void *word);

// What Swift's module of glibc leaves out of netlink(7) and timerfd_create(2). QUIET-TIME.

/// A socket that gets what the kernel tells about network links, rtnetlink(7). It does not block.
/// Returns a descriptor, or -1 with errno.
int epitaph_link_socket_open(void);

/// A socket that gets what the kernel tells about devices (uevents). It does not block. Returns a
/// descriptor, or -1 with errno.
int epitaph_device_socket_open(void);

/// One message, cut where `size` ends. Returns its length; 0 when there is none, or when it came
/// from a process and not from the kernel; -1 with errno, which is ENOBUFS when messages were lost.
long epitaph_kernel_message_read(int socket, void *bytes, size_t size);

/// A timer that is ready when the clock of the time of day was set (TFD_TIMER_CANCEL_ON_SET).
/// Returns a descriptor, or -1 with errno.
int epitaph_clock_timer_open(void);

/// Whether the clock was set since the timer was opened or asked last: 1 or 0; -1 with errno.
int epitaph_clock_timer_ask(int timer);

// Rights of one thread. libc's setgroups(3) changes those of all threads, and it has nothing for
// capabilities; the system calls themselves are of the calling thread alone, credentials(7).

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

// What Swift's module of glibc leaves out of unix(7), cmsg(3) and memfd_create(2). QUIET-TIME.

/// A socket for datagrams to `address`: a path, or an abstract name behind `@`. Sending waits for
/// at most `timeout_seconds`. Returns a descriptor, or -1 with errno.
int epitaph_datagram_socket_open(const char *address, size_t length, int timeout_seconds);

/// Sends one datagram. Returns 0, or -1 with errno: EMSGSIZE when it is too large for the socket,
/// EAGAIN when the receiver took none for the socket's timeout.
int epitaph_datagram_send(int socket, const void *bytes, size_t count);

/// A file in memory with these bytes that nobody can change any more, fcntl(2) F_ADD_SEALS. Returns
/// a descriptor, or -1 with errno.
int epitaph_sealed_file_make(const char *name, const void *bytes, size_t count);

/// Sends an empty datagram with a descriptor, SCM_RIGHTS. Returns 0, or -1 with errno.
int epitaph_descriptor_send(int socket, int descriptor);

#pragma GCC visibility pop
