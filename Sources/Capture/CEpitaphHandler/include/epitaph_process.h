// SPDX-License-Identifier: Apache-2.0
//
// Facts about this process collected at quiet time, the page that fork does not inherit, and
// seccomp filters. Internal to the package.

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
    /// fs/exec.c: AT_VECTOR_SIZE is 46 to 50 words.
    EPITAPH_AUXV_SIZE = 1024,
};

/// Collected at quiet time because that takes libc or the loader.
typedef struct epitaph_process_facts {
    int32_t pid;
    uint64_t start_ticks;
    uint8_t boot_id[16];
    /// /proc/self/auxv, which a process that has changed its user may not open: it belongs to root
    /// then, proc_pid(5). Without bytes if it could not be read.
    uint8_t auxv[EPITAPH_AUXV_SIZE];
    uint32_t auxv_bytes;
    uint64_t pid_namespace;
    /// CLOCK_REALTIME and CLOCK_MONOTONIC nanoseconds when Epitaph started.
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// CLOCK_BOOTTIME nanoseconds when the process started; 0 if not known.
    uint64_t process_start_ns;
    uint64_t page_size;
    /// The frame that the kernel makes for a signal, at most: AT_MINSIGSTKSZ, getauxval(3).
    uint64_t signal_frame_bytes;
    int32_t processor_count;
    /// End of the main thread's stack. The arguments and the environment are above it.
    uint64_t main_stack_end;
    /// The main thread's thread pointer if Epitaph was started there, otherwise 0.
    uint64_t main_thread_pointer;
    /// Addresses in this process; 0 if there is none. `r_debug_address`: `struct r_debug`.
    uint64_t r_debug_address;
    uint64_t program_headers_address;
    uint64_t program_header_count;
    /// Added to an address in the executable's file.
    uint64_t load_bias;
    /// The executable's .eh_frame if no program header leads to it and its file did; 0 otherwise.
    uint64_t frames_address;
    uint64_t frames_bytes;
    uint64_t vdso_address;
    /// Where the Swift runtime and glibc leave their messages; 0 if they are not loaded.
    uint64_t swift_message_address;
    uint64_t glibc_message_address;
    /// The C++ runtime's __cxa_eh_globals from a thread's pointer; 0 if it is not loaded. True of
    /// all threads if the runtime was loaded with the program.
    uint64_t cxx_globals_offset;
    /// The code of Swift's concurrency runtime; 0 if it is not loaded.
    uint64_t concurrency_start;
    uint64_t concurrency_end;
    char processor_vendor[13];
    uint32_t processor_signature;
    uint32_t processor_features;
    uint64_t hardware_capabilities;
    uint64_t hardware_capabilities_2;
    uint64_t address_mask;
    /// x86_64: end of each XSAVE component in the standard format; 0 if it does not exist.
    uint32_t xstate_end_bytes[EPITAPH_XSTATE_COMPONENT_COUNT];
    /// /proc/cpuinfo and /etc/os-release; NULL: a crash reads the file.
    const char *processor_text;
    size_t processor_text_bytes;
    const char *release_text;
    size_t release_text_bytes;
    /// Allowed arguments and NAME=value variables, separated by NUL; NULL: none.
    const char *command_line;
    size_t command_line_bytes;
    const char *environment;
    size_t environment_bytes;
    uint64_t environ_address;
    /// Names, NUL-separated, of variables whose values need not be blanked; NULL: none.
    const char *exempt_names;
    size_t exempt_names_bytes;
    // Last: of long arrays a process writes the beginning, and fork(3) copies written pages.
    /// LAUNCH_OOM_KILLS of docs/dump-format.md, NUL-terminated; empty if nothing is counted.
    char oom_kills[EPITAPH_OOM_KILLS_SIZE];
    char executable_path[EPITAPH_PATH_SIZE];
} epitaph_process_facts;

// State that a forked child must not inherit: locks held by a thread of the parent, and marks that
// say "this process". It is one page that the kernel zeroes in every new process that does not
// share its parent's memory, made by fork(3) or by a raw clone(2) (MADV_WIPEONFORK, madvise(2),
// Linux 4.14). If the kernel does not (older kernels; qemu-user ignores all advice and returns 0),
// a handler of pthread_atfork(3) does it, but only for fork(3).
//
// A child of vfork(2) shares the page like all memory: its marks appear in the parent, and a lock
// it holds when it dies stays held. None of our functions may be called there.

/// ANY-TIME. Whether this process, or one sharing its memory, armed a file. No system call.
bool epitaph_process_is_owner(void);

enum {
    EPITAPH_PROCESS_LOCK_SIZE = 64,
    EPITAPH_ARRIVAL_COUNT = 16,
};

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

/// All zeros initially, in the first process and in every forked one.
typedef struct epitaph_process_page {
    /// Nonzero only in the process that set it.
    uint64_t owner_mark;
    /// The process whose threads are registered; 0: none yet.
    uint32_t registry_pid;
    /// 1 in the process that made the page, and after fork(3) if the kernel does not wipe it.
    uint32_t has_lasted;
    /// `actions_pid`: the process whose actions are virtual (not a child of vfork(2)); 0 in a
    /// forked child until first needed. `changes_actions_pid`: the process that is changing one
    /// now; 0: none.
    uint32_t actions_pid;
    uint32_t changes_actions_pid;
    /// The process that passes the preloaded library on when it becomes another program; 0: none.
    uint32_t carries_pid;
    /// 1 while a forking thread reads /proc/self/status.
    uint32_t asks_for_filters;
    /// 1 while a forking thread checks the files of earlier children.
    uint32_t looks_after_files;
    uint32_t watches_hangs;
    uint32_t has_provisional_dump;
    /// Where breadcrumbs go besides the ring; NULL: nowhere, as in a forked child. Atomic.
    struct epitaph_breadcrumb_file *breadcrumb_file;
    /// `epitaph_arrival_mark` of threads that have come to the crash handler; 0 for none.
    uint64_t arrivals[EPITAPH_ARRIVAL_COUNT];
    /// A `pthread_mutex_t` each, as bytes, because crash time must not use libc.
    _Alignas(16) uint8_t locks[EPITAPH_LOCK_COUNT][EPITAPH_PROCESS_LOCK_SIZE];
} epitaph_process_page;

/// NULL until first needed, then constant, also in forked children. May be read at crash time.
extern epitaph_process_page *epitaph_process_page_now;

// seccomp filters. A filter that was there when Epitaph started (a container's, a service
// manager's) allowed Epitaph's calls. One the program installs later is written for the program's
// calls and may kill the process for any other. Such a process is captured by stores alone, unless
// the program declares that its filter allows the calls of docs/async-safety.md.

/// CRASH-TIME. Whether there are new filters. False if unknown: the descriptor is closed, or there
/// is no /proc. Calls at most fstat(2) and read(2), in a forked child prctl(2).
bool epitaph_filters_are_new(void);

/// ANY-TIME. The same for a process that lives on and is asked again, perhaps with lseek(2).
bool epitaph_filters_have_come(void);

/// ANY-TIME. Whether new filters are known already, and may kill for calls that the program does
/// not make itself. Asks nobody.
bool epitaph_filters_may_kill(void);

/// ANY-TIME. Whether calls that a capture makes may be made now. False where filters may come that
/// nobody is told of.
bool epitaph_filters_allow_calls(void);
/// QUIET-TIME. From now on epitaph_filter_note is called for each filter that the program installs.
void epitaph_filters_are_told(void);

/// ANY-TIME. Opens /proc/self/status, from which a crash reads the filters.
void epitaph_filters_watch(void);
/// ANY-TIME. The program has just installed a filter, or answers its own system calls from now on
/// (syscall user dispatch). Forked children remember it.
void epitaph_filter_note(void);
/// QUIET-TIME. Remembers the current filters and starts watching.
void epitaph_filters_remember(void);

/// ANY-TIME. Whether the filters are those of the start. Calls fstat(2), read(2) and lseek(2), but
/// prctl(2) first if the program has closed the descriptor. False if unknown, or while another
/// thread checks. Ignores `filters_allow_capture`, which is about crashes.
bool epitaph_filters_are_old(void);

#pragma GCC visibility pop

#endif
