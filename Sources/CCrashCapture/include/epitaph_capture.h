// SPDX-License-Identifier: Apache-2.0
//
// What quiet time prepares for crash time. CEpitaph fills the settings, arms the dump file and
// installs `epitaph_handle_signal`; from then on everything in this target works on what is here.
// Internal to the package: programs use epitaph.h.

#ifndef EPITAPH_CAPTURE_H
#define EPITAPH_CAPTURE_H

#include "epitaph_annotation.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_capture_limits.h"
#include "epitaph_dump_file.h"
#include "epitaph_dump_format.h"
#include "epitaph_message_board.h"
#include "epitaph_owned_file.h"
#include "epitaph_thread_registry.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_SIGNAL_LIMIT = 65,
    EPITAPH_PATH_SIZE = 4096,
    EPITAPH_RESERVED_FD_COUNT = 4,
    EPITAPH_ARMED_NAME_COUNT = 8,
    EPITAPH_XSTATE_COMPONENT_COUNT = 64,
    EPITAPH_REGISTERED_MEMORY_LIMIT = 64,
};

/// Memory the program wants in its dumps. An entry with 0 bytes is free.
typedef struct epitaph_registered_memory {
    uint64_t address;
    uint64_t bytes;
} epitaph_registered_memory;

/// Facts about the process, found out at quiet time because libc or the loader must be asked.
typedef struct epitaph_process_facts {
    uint64_t start_ticks;
    uint8_t boot_id[16];
    uint64_t pid_namespace;
    /// CLOCK_REALTIME and CLOCK_MONOTONIC nanoseconds when Epitaph started.
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// CLOCK_REALTIME nanoseconds when the process started; 0 when not known.
    uint64_t process_start_time_ns;
    char executable_path[EPITAPH_PATH_SIZE];
    uint64_t page_size;
    int32_t processor_count;
    /// One past the main thread's stack: above it lie the arguments and the environment.
    uint64_t main_stack_end;
    /// The main thread's thread pointer, when Epitaph was started there; else 0.
    uint64_t main_thread_pointer;
    /// Addresses in this process: `struct r_debug`, the program headers, the ELF headers of vdso; 0
    /// when there is none.
    uint64_t r_debug_address;
    uint64_t program_headers_address;
    uint64_t program_header_count;
    /// To be added to an address in the executable's file.
    uint64_t load_bias;
    uint64_t vdso_address;
    /// Where the Swift runtime and glibc leave their last words; 0 when they are not in the
    /// process.
    uint64_t swift_message_address;
    uint64_t glibc_message_address;
    /// The code of Swift's concurrency runtime; 0 when it is not in the process.
    uint64_t concurrency_start;
    uint64_t concurrency_end;
    char processor_vendor[13];
    uint32_t processor_signature;
    uint32_t processor_features;
    uint64_t hardware_capabilities;
    uint64_t hardware_capabilities_2;
    uint64_t address_mask;
    /// x86_64: for each XSAVE component, one past its last byte in the standard format; 0 when it
    /// does not exist.
    uint32_t xstate_end_bytes[EPITAPH_XSTATE_COMPONENT_COUNT];
    /// NUL-separated allow-listed arguments and NAME=value variables; NULL when nothing is allowed.
    const char *command_line;
    size_t command_line_bytes;
    const char *environment;
    size_t environment_bytes;
} epitaph_process_facts;

/// What standard error was when Epitaph started, and whether last lines are to be written there.
typedef struct epitaph_standard_error {
    bool is_wanted;
    bool is_known;
    /// `st_dev` and `st_ino`, stat(3type).
    uint64_t device;
    uint64_t inode;
} epitaph_standard_error;

/// Everything crash time knows. Written at quiet time only, but for the parts marked otherwise.
typedef struct epitaph_capture_settings {
    /// Whether Epitaph is started. Read atomically.
    uint32_t is_started;
    /// The pending-dumps directory, and its absolute path for when the descriptor is gone.
    epitaph_owned_file directory;
    char directory_path[EPITAPH_PATH_SIZE];
    /// The directory is another user's than ours, and so are the files we make there.
    bool has_other_owner;
    uint32_t directory_uid;
    uint32_t directory_gid;
    /// A forked child whose file was chosen by its parent: it is no launch of its own.
    bool is_handed_out;
    /// Kept open so that a process with a full descriptor table can still open files while it dies.
    epitaph_owned_file reserved_files[EPITAPH_RESERVED_FD_COUNT];
    /// /proc/self/status, not read yet, and what it said of seccomp filters at the start; see
    /// filters.h.
    epitaph_owned_file status_file;
    uint32_t filter_count;
    /// The program vouches that its filters allow the calls of docs/async-safety.md.
    bool filters_allow_capture;
    epitaph_standard_error standard_error;
    char bundle_id[EPITAPH_BUNDLE_ID_SIZE];
    epitaph_dump_file dump_file;
    /// The names armed files had, the latest at `armed_count` modulo the count of places; each
    /// stays as it is until so many others were armed, for those who hold it.
    uint32_t armed_count;
    char armed_names[EPITAPH_ARMED_NAME_COUNT][EPITAPH_DUMP_NAME_SIZE];
    /// The dump of the crash that was passed on to a handler of the program's last.
    bool has_crashed_before;
    uint8_t crash_uuid[16];
    epitaph_process_facts facts;
    epitaph_capture_limits limits;
    /// Bit n - 1: signal n has our handler.
    uint64_t handled_signals;
    /// Bit n - 1: the handler found for signal n is one that this process is better off without;
    /// the default action is taken in its place.
    uint64_t replaced_signals;
    /// What each signal had before us: `epitaph_kernel_sigaction` values, kept as bytes to keep
    /// sys.h private.
    _Alignas(8) uint8_t previous_actions[EPITAPH_SIGNAL_LIMIT][32];
    /// The signal that stops threads, and a kernel action made by libc to take its trampoline from;
    /// all zeros before a handler was installed.
    int stop_signal;
    _Alignas(8) uint8_t libc_action[32];
    /// Whether threads that do not take it are stopped with ptrace(2).
    bool traces_threads;
    epitaph_annotation *annotations;
    /// Nonzero: crashes are passed on as if we were not there. Changed and read atomically, at any
    /// time.
    uint32_t is_disabled;
    /// Where `limits` come from at the beginning of a capture.
    epitaph_limits_box next_limits;
    /// Bit n - 1: the previous action of signal n belongs to a library that had displaced our
    /// handler, and the one from before the start is in `original_actions`.
    uint64_t retaken_signals;
    _Alignas(8) uint8_t original_actions[EPITAPH_SIGNAL_LIMIT][32];
    /// The last words of C++'s terminate and of the program itself.
    epitaph_message_board cxx_messages;
    epitaph_message_board app_messages;
    /// One more than the highest index that was ever in use.
    uint32_t annotations_used;
    epitaph_registered_memory registered_memory[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// NULL before the start and when there are to be none. Changed and read atomically.
    epitaph_breadcrumb_ring *breadcrumbs;
} epitaph_capture_settings;

extern epitaph_capture_settings epitaph_capture_settings_now;

/// QUIET-TIME. Bytes of memory the capture works in, and the place it is to be found at. Zeroed,
/// private, page-aligned.
size_t epitaph_capture_workspace_size(void);
void epitaph_capture_workspace_set(void *workspace);

/// ANY-TIME. Whether this is the process that armed a file, or shares its memory; false in a forked
/// child. No system call: a page that fork(2) empties tells, epitaph_process_page.h.
bool epitaph_process_is_owner(void);

/// QUIET-TIME. The stack for captures of threads that crash where there is too little room; with
/// unreadable pages around it, to be kept for ever.
void epitaph_emergency_stack_set(void *memory, size_t size);

/// CRASH-TIME. The handler of every crash signal: captures, seals, and passes the signal on.
void epitaph_handle_signal(int signal, siginfo_t *info, void *context);

/// ANY-TIME. Remembers the present action of `signal` as the one to pass it on to. Returns 1, or 0
/// when the signal is ignored and is to stay so, or a negative errno.
long epitaph_signal_remember(int signal);
/// ANY-TIME. Keeps the present action of `signal`, which libc has installed, as the pattern for
/// actions that are installed without libc.
void epitaph_signal_take_pattern(int signal);
/// ANY-TIME. Installs our handler for `signal`, in the pattern of libc's. Returns 0 or a negative
/// errno.
long epitaph_signal_install_own(int signal);
/// ANY-TIME. Puts the remembered action back if the present one is still ours.
void epitaph_signal_restore(int signal);
/// ANY-TIME. The address of the remembered action's handler function; 0 for the default action.
uint64_t epitaph_signal_remembered_handler(int signal);

/// QUIET-TIME. Remembers what standard error is, for the lines that a crash writes there where they
/// are wanted.
void epitaph_last_lines_prepare(bool is_wanted);

/// QUIET-TIME. Reads what is to be known of the executable, which a crash then writes without
/// reading anything. Needs the process facts.
void epitaph_executable_prepare(void);

/// ANY-TIME. Whether the present action of `signal` is another one than ours, and if so the address
/// of its handler (SIG_DFL and SIG_IGN are 0 and 1).
bool epitaph_signal_is_displaced(int signal, uint64_t *handler);
/// QUIET-TIME. Remembers the action that displaced our handler as the one to pass the signal on to;
/// when its handler passes the signal back to us, the action from before the start is next. Results
/// as those of `epitaph_signal_remember`. The caller installs our handler.
long epitaph_signal_remember_newcomer(int signal);

/// QUIET-TIME. Captures the process, which lives on, for the calling thread into a new file, which
/// is left open and whole: one of the pending directory, or `name` in `directory` where a name is
/// given. Waits up to `timeout_ns` for another capture to end. No system call of another thread is
/// interrupted. Returns 0, -EBUSY, or another negative errno; then there is no file.
long epitaph_live_capture(epitaph_dump_file *file, int directory, const char *name,
                          uint64_t timeout_ns);

/// ANY-TIME. Whether a thread is capturing.
bool epitaph_capture_is_going_on(void);

/// ANY-TIME. A descriptor of the directory of pending dumps that was proven just now, opened again
/// by its path if the program has closed it. A negative errno when it is out of reach: removed, or
/// behind a chroot(2). The descriptor stays the settings'.
int epitaph_pending_directory(void);

/// ANY-TIME. Opens /proc/self/status for a crash, which asks it for seccomp filters: filters.h.
void epitaph_filters_watch(void);
/// QUIET-TIME. Remembers the filters there are, and begins to watch.
void epitaph_filters_remember(void);

/// ANY-TIME. Whether the process has no other filters than at its start: fstat(2), read(2) and
/// lseek(2); prctl(2) first where the program has closed the descriptor. False as well while
/// another thread asks, and where nothing tells. Nobody has vouched for calls that are not a
/// crash's.
bool epitaph_filters_are_old(void);

/// ANY-TIME. Opens the descriptors held in reserve; those that cannot be opened are -1.
void epitaph_reserve_descriptors(void);
/// ANY-TIME. Closes them.
void epitaph_release_descriptors(void);

#pragma GCC visibility pop

#endif
