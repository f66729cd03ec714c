// SPDX-License-Identifier: Apache-2.0
//
// What a forked child must not inherit: locks that a thread of the parent held, and marks that say
// "this process". It is one page that the kernel zeroes in every new process that does not share
// its parent's memory, made by fork(3) or by a raw clone(2) (MADV_WIPEONFORK, madvise(2), Linux
// 4.14). If the kernel does not (older kernels; qemu-user returns 0 and does nothing), a handler of
// pthread_atfork(3) does the same, but only for fork(3).
//
// A child of vfork(2) shares the page with its parent, like all memory: what it marks is marked in
// the parent, too, and a lock that it holds when it dies stays held. None of our functions may be
// called there; vfork(2) allows hardly anything.

#ifndef EPITAPH_PROCESS_PAGE_H
#define EPITAPH_PROCESS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Whether this is the process that armed a file, or shares its memory; false in a forked
/// child. Makes no system call: the mark is in a page that fork(2) empties.
bool epitaph_process_is_owner(void);

enum { EPITAPH_PROCESS_LOCK_SIZE = 64 };

typedef enum epitaph_process_lock {
    EPITAPH_LOCK_STATE,
    EPITAPH_LOCK_ANNOTATIONS,
    EPITAPH_LOCK_REGISTERED_MEMORY,
    EPITAPH_LOCK_HEARTBEATS,
    EPITAPH_LOCK_PROVISIONAL_DUMP,
    EPITAPH_LOCK_ATTACHMENTS,
    EPITAPH_LOCK_SCOPES,
    EPITAPH_LOCK_COUNT,
} epitaph_process_lock;

/// All zeros is its initial state, in the first process and in every forked one.
typedef struct epitaph_process_page {
    /// Nonzero only in the process that set it.
    uint64_t owner_mark;
    /// The process whose threads are in the registry; 0 before the first.
    uint32_t registry_pid;
    /// 1 in the process that made the page. It survives a fork(3) only if the kernel does not wipe
    /// the page.
    uint32_t has_lasted;
    /// The process whose actions are virtual, which a child of vfork(2) is not; 0 until they are
    /// first asked for. And the one that is just changing one, 0 for none.
    uint32_t actions_pid;
    uint32_t changes_actions_pid;
    /// 1 while a thread that forks reads /proc/self/status.
    uint32_t asks_for_filters;
    /// 1 while a forking thread checks the files of earlier children.
    uint32_t looks_after_files;
    /// 1 while a thread watches for hangs.
    uint32_t watches_hangs;
    /// 1 while there is a provisional dump of this process.
    uint32_t has_provisional_dump;
    /// Where breadcrumbs are written besides the ring; NULL for nowhere. Changed and read
    /// atomically. The file is the process's that made it: a forked child has none.
    struct epitaph_breadcrumb_file *breadcrumb_file;
    /// A `pthread_mutex_t` each, as bytes, because libc must not be used at crash time.
    _Alignas(16) uint8_t locks[EPITAPH_LOCK_COUNT][EPITAPH_PROCESS_LOCK_SIZE];
} epitaph_process_page;

/// NULL until it is first needed; the same from then on, also in forked children. May be read at
/// crash time.
extern epitaph_process_page *epitaph_process_page_now;

#pragma GCC visibility pop

#endif
