// SPDX-License-Identifier: Apache-2.0
//
// What is known about this process: facts found out at quiet time, the page that a forked child
// does not inherit, and its seccomp filters. Internal to the package.

#ifndef EPITAPH_PROCESS_H
#define EPITAPH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_PATH_SIZE = 4096,
    EPITAPH_XSTATE_COMPONENT_COUNT = 64,
    EPITAPH_OOM_KILLS_SIZE = 2048,
};

/// Facts about the process, found out at quiet time because that takes libc or the loader.
typedef struct epitaph_process_facts {
    /// The process these facts are about.
    int32_t pid;
    uint64_t start_ticks;
    uint8_t boot_id[16];
    /// LAUNCH_OOM_KILLS of docs/dump-format.md; ends with NUL, empty where nothing is counted.
    char oom_kills[EPITAPH_OOM_KILLS_SIZE];
    uint64_t pid_namespace;
    /// CLOCK_REALTIME and CLOCK_MONOTONIC nanoseconds when Epitaph started.
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// CLOCK_REALTIME nanoseconds when the process started; 0 when not known.
    uint64_t process_start_time_ns;
    char executable_path[EPITAPH_PATH_SIZE];
    uint64_t page_size;
    int32_t processor_count;
    /// One past the main thread's stack: above it are the arguments and the environment.
    uint64_t main_stack_end;
    /// The main thread's thread pointer if Epitaph was started there, otherwise 0.
    uint64_t main_thread_pointer;
    /// Addresses in this process: `struct r_debug`, the program headers, the ELF header of the
    /// vdso; 0 if there is none.
    uint64_t r_debug_address;
    uint64_t program_headers_address;
    uint64_t program_header_count;
    /// To be added to an address in the executable's file.
    uint64_t load_bias;
    uint64_t vdso_address;
    /// Where the Swift runtime and glibc leave their messages; 0 if they are not in the process.
    uint64_t swift_message_address;
    uint64_t glibc_message_address;
    /// The code of Swift's concurrency runtime; 0 if it is not in the process.
    uint64_t concurrency_start;
    uint64_t concurrency_end;
    char processor_vendor[13];
    uint32_t processor_signature;
    uint32_t processor_features;
    uint64_t hardware_capabilities;
    uint64_t hardware_capabilities_2;
    uint64_t address_mask;
    /// x86_64: for each XSAVE component, one past its last byte in the standard format; 0 if it
    /// does not exist.
    uint32_t xstate_end_bytes[EPITAPH_XSTATE_COMPONENT_COUNT];
    /// Allowed arguments and NAME=value variables, separated by NUL; NULL if nothing is allowed.
    const char *command_line;
    size_t command_line_bytes;
    const char *environment;
    size_t environment_bytes;
    /// Where libc stores `environ`.
    uint64_t environ_address;
    /// Names, separated by NUL, of variables whose values need not be kept out of memory; NULL if
    /// there are none.
    const char *exempt_names;
    size_t exempt_names_bytes;
} epitaph_process_facts;

// What a forked child must not inherit: locks that a thread of the parent held, and marks that say
// "this process". It is one page that the kernel zeroes in every new process that does not share
// its parent's memory, made by fork(3) or by a raw clone(2) (MADV_WIPEONFORK, madvise(2), Linux
// 4.14). If the kernel does not (older kernels; qemu-user returns 0 and does nothing), a handler of
// pthread_atfork(3) does the same, but only for fork(3).
//
// A child of vfork(2) shares the page with its parent, like all memory: what it marks is marked in
// the parent, too, and a lock that it holds when it dies stays held. None of our functions may be
// called there; vfork(2) allows hardly anything.

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
    /// atomically. It belongs to the process that made it: a forked child has none.
    struct epitaph_breadcrumb_file *breadcrumb_file;
    /// A `pthread_mutex_t` each, as bytes, because libc must not be used at crash time.
    _Alignas(16) uint8_t locks[EPITAPH_LOCK_COUNT][EPITAPH_PROCESS_LOCK_SIZE];
} epitaph_process_page;

/// NULL until it is first needed; the same from then on, also in forked children. May be read at
/// crash time.
extern epitaph_process_page *epitaph_process_page_now;

// seccomp filters. A filter that existed when Epitaph started (a container's, a service manager's)
// allowed its calls. One that the program installs later is written for the program's own calls and
// may kill the process for any other. Such a process is captured by stores alone, unless the
// program says that its filter allows the calls of docs/async-safety.md.

/// CRASH-TIME. Whether the process has got filters since. False if that is not known: the program
/// has closed the descriptor, or there is no /proc. Calls at most fstat(2) and read(2), or prctl(2)
/// in a forked child.
bool epitaph_filters_are_new(void);

/// ANY-TIME. Opens /proc/self/status, which is read for seccomp filters in a crash.
void epitaph_filters_watch(void);
/// QUIET-TIME. Remembers the current filters, and begins to watch.
void epitaph_filters_remember(void);

/// ANY-TIME. Whether the process has no other filters than at its start: fstat(2), read(2) and
/// lseek(2); prctl(2) first if the program has closed the descriptor. Also false while another
/// thread checks, and if it is not known. `filters_allow_capture` does not matter here: it is about
/// the calls of a crash.
bool epitaph_filters_are_old(void);

#pragma GCC visibility pop

#endif
