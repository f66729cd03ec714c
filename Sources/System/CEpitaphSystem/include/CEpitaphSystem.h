// SPDX-License-Identifier: Apache-2.0
//
// Mostly what Swift's Glibc module lacks. QUIET-TIME unless marked.
#pragma once

#include "epitaph_caller_stack.h"
#include "epitaph_exit_gate.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Itanium C++ ABI, 3.4, in the loaded libstdc++; NULL with status -3 if missing.
char *epitaph_cxa_demangle(const char *name, char *output, size_t *output_size, int *status);

/// f_type of fstatfs(2), linux/magic.h. Returns -1 with errno on failure.
long epitaph_file_system_number(int file);

int epitaph_file_system_synchronize(int file);

/// renameat2(2) with RENAME_NOREPLACE within `directory`. Returns 0, or -1 with errno.
int epitaph_file_rename_to_free(int directory, const char *name, const char *new_name);

/// stx_btime of statx(2) in seconds since 1970, or -1 where the file system keeps none.
int64_t epitaph_file_birth(int file);

/// Whether executing the file gains capabilities(7).
bool epitaph_file_gives_capabilities(const char *path);

/// fgetxattr(2) and fsetxattr(2). Return the length, or 0, or -1 with errno.
long epitaph_file_attribute(int file, const char *name, char *value, size_t size);
int epitaph_file_attribute_set(int file, const char *name, const char *value, size_t size);

// Work during which the program should not fork: all of a thread of ours, and of other threads what
// they do within a lock of ours. fork(2) waits for its end, at most a second.

/// From any thread; may be nested.
void epitaph_work_begin(void);
void epitaph_work_end(void);

/// A lock, 0 when it is free; what is done with it is work. If its holder is a thread that a child
/// of fork(2) does not have, since fork(2) waited in vain, the child takes it over.
void epitaph_lock_take(uint32_t *lock);
void epitaph_lock_give(uint32_t *lock);

/// Around a wait within work, with no lock held. Elsewhere they do nothing.
void epitaph_wait_begin(void);
void epitaph_wait_end(void);

/// poll(2), usleep(3) and pthread_join(3).
int epitaph_wait_poll(struct pollfd *entries, size_t count, int milliseconds);
void epitaph_wait_microseconds(uint32_t microseconds);
int epitaph_wait_thread(pthread_t thread);

// futex(2): waiting for a word of this process without a descriptor. Both preserve errno.

/// Sleeps while the 4 aligned bytes at `word`, which must outlive the wait, are `value`: until
/// woken, a signal, or `nanoseconds` of CLOCK_MONOTONIC. May wake spuriously.
void epitaph_futex_wait(const void *word, uint32_t value, int64_t nanoseconds);

void epitaph_futex_wake(const void *word);

// netlink(7) and timerfd_create(2).

/// A nonblocking rtnetlink(7) socket for network links. Returns -1 with errno on failure.
int epitaph_link_socket_open(void);

/// A nonblocking socket for the kernel's device events (uevents). Returns -1 with errno on failure.
int epitaph_device_socket_open(void);

/// Reads one message, truncated to `size`. Returns its length; 0 if there is none or it is a
/// process's; -1 with errno, ENOBUFS if messages were lost.
long epitaph_kernel_message_read(int socket, void *bytes, size_t size);

/// Ready when the wall clock is set (TFD_TIMER_CANCEL_ON_SET). Returns -1 with errno on failure.
int epitaph_clock_timer_open(void);

/// Whether the clock was set since the last call or open: 1 or 0; -1 with errno.
int epitaph_clock_timer_ask(int timer);

// Of the calling thread, credentials(7): libc's setgroups(3) changes all threads.

/// Bits numbered as in linux/capability.h.
struct epitaph_capabilities {
    uint64_t effective;
    uint64_t permitted;
    uint64_t inheritable;
};

/// setfsuid(2), setfsgid(2). Return the previous id, also on failure. UINT32_MAX changes nothing.
uint32_t epitaph_thread_set_file_user(uint32_t user);
uint32_t epitaph_thread_set_file_group(uint32_t group);

/// Return 0, or -1 with errno.
int epitaph_thread_set_groups(size_t count, const uint32_t *groups);
int epitaph_thread_capabilities(struct epitaph_capabilities *capabilities);
int epitaph_thread_set_capabilities(const struct epitaph_capabilities *capabilities);

/// CAP_FS_MASK: dropped by the kernel when a thread's file system user stops being 0.
extern const uint64_t epitaph_file_capabilities;

/// prctl(2) PR_GET_DUMPABLE and PR_SET_DUMPABLE, of the whole process. Negative on failure.
int epitaph_dumpable(void);
int epitaph_set_dumpable(int dumpable);

/// prctl(2) PR_GET_PDEATHSIG and PR_SET_PDEATHSIG, of the thread. Negative on failure.
int epitaph_parent_death_signal(void);
int epitaph_set_parent_death_signal(int signal);

/// environ(7); NULL also in an AT_SECURE program (getauxval(3)), whose user chose it.
char *const *epitaph_trusted_environment(void);

/// mallopt(3), if there: up to 64 MiB of freed memory are kept for the next of many similar tasks,
/// and not taken from the kernel again, page by page.
void epitaph_freed_memory_keep(void);

/// malloc_trim(3), if there: glibc would keep up to 64 MiB of freed blocks in each arena.
void epitaph_freed_memory_return(void);

// unix(7), cmsg(3) and memfd_create(2).

/// A datagram socket connected to a path, or `@` and an abstract name. Sends time out after
/// `timeout_seconds`. Returns -1 with errno on failure.
int epitaph_datagram_socket_open(const char *address, size_t length, int timeout_seconds);

/// Returns 0, or -1 with errno: EMSGSIZE if too large, EAGAIN after the socket's timeout.
int epitaph_datagram_send(int socket, const void *bytes, size_t count);

/// A sealed in-memory file, fcntl(2) F_ADD_SEALS. Returns -1 with errno on failure.
int epitaph_sealed_file_make(const char *name, const void *bytes, size_t count);

/// Sends a descriptor with an empty datagram, SCM_RIGHTS. Returns 0, or -1 with errno.
int epitaph_descriptor_send(int socket, int descriptor);

#pragma GCC visibility pop
