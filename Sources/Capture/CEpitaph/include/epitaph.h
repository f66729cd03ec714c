// SPDX-License-Identifier: Apache-2.0
//
// Epitaph for C and C++ programs: records how this process dies.
//
//     epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
//     options.database_path = "/var/lib/myd/crashes";
//     options.bundle_id = "com.example.myd";
//     epitaph_error error;
//     if (epitaph_start(&options, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
//
// A crash leaves a dump, `<database>/pending-dumps/<bundle-id>@<uuid>`, which the next launch or
// `dump-convert process` converts to a minidump.
//
// ANY-TIME functions are async-signal-safe (signal-safety(7)): they take no lock, allocate nothing
// and preserve errno. QUIET-TIME functions are not; do not call them from a signal handler or the
// child of a vfork(2). All functions are thread-safe.

#ifndef EPITAPH_H
#define EPITAPH_H

#include <stddef.h>
#include <stdint.h>

#include "epitaph_option_table.h"
#include "epitaph_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef enum epitaph_status {
    EPITAPH_OK = 0,
    /// An option or argument is missing or wrong. Nothing was changed.
    EPITAPH_INVALID_OPTION,
    /// Already started, and not stopped since.
    EPITAPH_ALREADY_STARTED,
    /// Creating, opening or writing a file failed. The program runs without crash reports.
    EPITAPH_FILE_ERROR,
    EPITAPH_SYSTEM_ERROR,
    /// All annotations, memory ranges or slots for pending dumps are in use.
    EPITAPH_NO_ROOM,
    EPITAPH_NOT_STARTED,
    EPITAPH_SECURE_EXECUTION,
    /// A debugger is attached, and `allows_debugger` is not set. Nothing was changed.
    EPITAPH_DEBUGGER_ATTACHED,
} epitaph_status;

/// Why a call failed. The message is one English sentence that names the file or option.
typedef struct epitaph_error {
    epitaph_status status;
    /// errno(3), or 0 if no system call failed.
    int error_number;
    /// NUL-terminated.
    char message[1024];
} epitaph_error;

/// An annotation. Both strings are UTF-8 and NUL-terminated.
typedef struct epitaph_annotation_pair {
    /// 1 to 255 bytes.
    const char *name;
    /// At most 20,480 bytes; longer values are cut.
    const char *value;
} epitaph_annotation_pair;

/// What to do with the handler that the Swift runtime may have installed for its backtraces.
typedef enum epitaph_swift_backtracer {
    /// Does not run the backtracer, which only writes to standard error and can take many seconds.
    EPITAPH_SWIFT_BACKTRACER_REPLACE = 0,
    /// Runs the backtracer after the capture.
    EPITAPH_SWIFT_BACKTRACER_CHAIN = 1,
} epitaph_swift_backtracer;

/// How to treat threads that existed before epitaph_start. Without an alternate signal stack
/// (sigaltstack(2)) a thread that overflows its stack dies without a report.
typedef enum epitaph_existing_threads {
    /// Each gets an alternate stack, by one SIGPROF, if its own has room for the handler. Calls
    /// that are never restarted (signal(7)), such as epoll_wait(2), may fail once with EINTR.
    EPITAPH_EXISTING_THREADS_GET_STACKS = 0,
    /// No signal is sent. Threads can call epitaph_thread_prepare().
    EPITAPH_EXISTING_THREADS_LEFT_ALONE = 1,
} epitaph_existing_threads;

/// How the other threads of a crashing process are stopped and read.
typedef enum epitaph_thread_capture {
    /// By a signal; threads that none reaches by ptrace(2) from a cloned process. Without ptrace
    /// where the process has a seccomp filter, or may not be traced since it gave up its rights:
    /// then the dump has what /proc shows of such a thread.
    EPITAPH_THREAD_CAPTURE_SIGNAL = 0,
    /// With ptrace there as well: the process may be traced for that moment.
    EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE = 1,
} epitaph_thread_capture;

/// Options of epitaph_start. Initialise with EPITAPH_OPTIONS_DEFAULT. The caller owns all
/// pointed-to memory; it is not used after epitaph_start returns.
typedef struct epitaph_options {
    /// sizeof(epitaph_options): tells a newer library which fields the caller knows.
    uint32_t size_bytes;
    /// Directory for reports. Required. Created with mode 0700 if missing; its parent must exist.
    const char *database_path;
    /// Identifies the program, for example "com.example.myd". Required. 1 to 200 of the characters
    /// A-Z a-z 0-9 . _ -, not starting with a dot.
    const char *bundle_id;
    /// Annotations set before the handlers are installed; NULL for none.
    const epitaph_annotation_pair *annotations;
    size_t annotation_count;
    /// 0-terminated list of signals to handle; NULL for SIGABRT SIGBUS SIGFPE SIGILL SIGQUIT
    /// SIGSEGV SIGSYS SIGTRAP SIGXCPU SIGXFSZ. Signals that the program ignores stay ignored.
    const int *signals;
    epitaph_swift_backtracer swift_backtracer;
    /// Bytes kept of the crashing thread's stack; 0 for 1 MiB.
    uint64_t crashing_stack_bytes;
    /// Bytes kept of each other thread's stack; 0 for 256 KiB.
    uint64_t other_stack_bytes;
    /// Bytes kept of all stacks together; 0 for 64 MiB.
    uint64_t all_stacks_bytes;
    /// Time for the other threads to stop, milliseconds; 0 for 500.
    uint32_t stop_timeout_ms;
    /// Time for the whole capture, milliseconds; 0 for 5,000. Then the dump is finished as it is.
    uint32_t capture_timeout_ms;
    /// Disk space allocated at the start (fallocate(2)) in case of a full disk, bytes; 0 for 1 MiB.
    uint64_t reserved_bytes;
    /// NULL-terminated names of environment variables whose values may be in a dump; NULL for none.
    /// Copies of other values in memory and registers are overwritten with asterisks, except of
    /// harmless variables such as PATH and LANG.
    const char *const *environment_allow_list;
    /// Nonzero to include the command line in dumps.
    int includes_command_line;
    epitaph_existing_threads existing_threads;
    epitaph_thread_capture thread_capture;
    /// Bytes of memory besides stacks kept where registers and stack of the crashing thread point;
    /// 0 for 64 KiB.
    uint64_t crashing_memory_bytes;
    /// The same where the registers of each other thread point; 0 for 4 KiB.
    uint64_t other_memory_bytes;
    /// The same for all threads together, at most 3 MiB; 0 for 512 KiB.
    uint64_t all_memory_bytes;
    /// Bytes kept of memory registered with epitaph_memory_register; 0 for 1 MiB.
    uint64_t registered_memory_bytes;
    /// Limit of pending dumps of this bundle; 0 for 50. At or above this limit or
    /// `max_pending_bytes`, epitaph_start removes dumps from the middle of the sequence (the first
    /// and last dumps of a crash loop say most) and counts them for the next conversion. Also
    /// limits forked children's dumps.
    uint32_t max_pending_dumps;
    /// Limit of disk space for pending dumps of this bundle, bytes; 0 for 256 MiB.
    uint64_t max_pending_bytes;
    /// Nonzero if the program also calls exit(3) on failure: then only epitaph_stop is a clean end.
    int ignores_exit;
    /// Nonzero to start even if the process is AT_SECURE (getauxval(3)), such as set-user-ID.
    int allows_secure_execution;
    /// Nonzero to start even under a debugger, including strace(1).
    int allows_debugger;
    /// Number of breadcrumbs kept (epitaph_breadcrumbs.h), 576 bytes of memory each, at most 1,024.
    /// 0 keeps none; EPITAPH_OPTIONS_DEFAULT sets 64.
    size_t breadcrumb_limit;
    /// Nonzero if seccomp(2) filters installed after epitaph_start allow the system calls listed in
    /// docs/async-safety.md, or fail them with an errno. If 0, a crash under such a filter makes no
    /// system call that the filter could kill for, and the report has only the crashing thread.
    /// Filters from before the start do not matter.
    int filters_allow_capture;
    /// Bytes kept of unwind tables of modules whose files were deleted or replaced while running,
    /// for example by a package upgrade; 0 for 8 MiB. Stacks through such modules need them.
    uint64_t unwind_tables_bytes;
    /// Nonzero to write three lines to standard error once the dump is complete: the signal, the
    /// last message of runtime or program, and the dump's name. Written only if that cannot block,
    /// and only to the file that was standard error at epitaph_start or one open for appending. For
    /// containers, for example, where nothing else survives.
    int writes_last_lines;
    /// Nonzero to let epitaph_test_crash end the program.
    int allows_test_crashes;
    /// 0-terminated list of signals whose death is marked in the dump file, so that the next launch
    /// can report, for example, SIGTERM; NULL for none. Allowed are signals that by default
    /// terminate without a core dump: SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2,
    /// SIGVTALRM, SIGIO, SIGPWR, SIGSTKFLT and the real-time signals. Only signals with the default
    /// action at the start are marked; ignored signals stay ignored, and later handlers run as
    /// usual. The process then dies of the signal with the sender's siginfo. docs/launch-ends.md
    /// lists the differences that remain.
    const int *marked_signals;
    /// Size of the breadcrumb file, bytes: 0 for none, otherwise 8 KiB to 16 MiB, rounded up to
    /// pages. Its breadcrumbs survive SIGKILL and, as far as the kernel wrote them out, power loss
    /// (docs/breadcrumb-file.md). If it cannot be created, epitaph_breadcrumb_file_check says why;
    /// everything else works.
    size_t breadcrumb_file_bytes;
    /// Nonzero to virtualise the process's own sigaction(2), signal(2), sigset(3) and the like:
    /// Epitaph's handlers stay installed, and the program's handlers run after the capture as the
    /// kernel would have run them; EPITAPH_OPTIONS_DEFAULT sets it. If 0, a later handler replaces
    /// Epitaph's; epitaph_handlers_check detects that. docs/virtual-signal-actions.md has the
    /// limits.
    int virtual_signal_actions;
    /// Absolute path of a directory for pending dumps instead of the database, for example on a
    /// tmpfs; NULL for the database. Created with mode 0700 if missing; its parent must exist. It
    /// must have the database's owner and be writable by no one else. Pass it to `dump-convert
    /// process --pending` (docs/decisions/pending-dumps.md).
    const char *crash_directory;
    /// Mode of files in `crash_directory`, regardless of umask: 0 or 0600 for the owner alone, 0640
    /// to let the directory's group read them. Dumps contain memory of the program.
    uint32_t crash_file_mode;
    /// N, to watch one of N allocations for memory errors; 0 for none. Needs libepitaph-heap in the
    /// process, or the product EpitaphHeap in a Swift program; epitaph_heap_check says whether
    /// allocations are watched. docs/memory-errors.md has the price and the chance.
    uint32_t heap_sampling;
    /// Limit of watched allocations in use at once, at most 1,024; 0 for 64.
    uint32_t heap_blocks;
    /// Nonzero to end the program by abort(3) when it frees a watched allocation beside which it
    /// has written. If 0, that is reported as a handled error, and the program goes on.
    int heap_overwrites_end;
} epitaph_options;

/// All defaults; the required options must still be set.
#ifdef __cplusplus
#define EPITAPH_OPTIONS_DEFAULT epitaph_options_default()
/// C++ before C++20 has no designated initialisers.
static inline epitaph_options epitaph_options_default(void) {
    epitaph_options options = epitaph_options();
    options.size_bytes = sizeof options;
    options.breadcrumb_limit = EPITAPH_BREADCRUMBS_KEPT;
    options.virtual_signal_actions = 1;
    return options;
}
#else
#define EPITAPH_OPTIONS_DEFAULT                                                              \
    {                                                                                        \
        .size_bytes = sizeof(epitaph_options), .breadcrumb_limit = EPITAPH_BREADCRUMBS_KEPT, \
        .virtual_signal_actions = 1                                                          \
    }
#endif

/// QUIET-TIME. Creates a dump file and installs the signal handlers. Call it once, early in main,
/// before starting threads. The calling thread, threads created later by pthread_create(3) or
/// thrd_create(3), and by default all existing threads get an alternate signal stack
/// (sigaltstack(2)) unless they have one of at least the same size.
///
/// Returns EPITAPH_OK, or the reason why crashes are not recorded, also in `error` unless that is
/// NULL. On failure the process is unchanged.
epitaph_status epitaph_start(const epitaph_options *options, epitaph_error *error);

/// QUIET-TIME. Restores the previous signal handlers and marks a clean end in the dump file for the
/// next launch. Returning from main and exit(3) also mark it; _exit(2), execve(2) and death by a
/// signal do not. Threads keep their alternate stacks; later ones get none. epitaph_start may be
/// called again. Does nothing if not started.
void epitaph_stop(void);

/// QUIET-TIME. Sets the annotation `name` (1 to 255 bytes) to `value` (at most 20,480 bytes; longer
/// values are cut). Copies both. Atomic: a crash finds the old or the new value.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for NULL or a name of invalid length; EPITAPH_NO_ROOM
/// if there are 128 annotations; or EPITAPH_NOT_STARTED.
epitaph_status epitaph_annotation_set(const char *name, const char *value);

/// QUIET-TIME. Removes an annotation, if there is one of that name. Returns EPITAPH_OK,
/// EPITAPH_INVALID_OPTION or EPITAPH_NOT_STARTED.
epitaph_status epitaph_annotation_remove(const char *name);

/// QUIET-TIME. Includes the `size_bytes` bytes at `address`, as they are at the crash, in dumps
/// until unregistered: for example a ring of recent events. Registering an address again changes
/// its size. The caller keeps ownership and may even free the memory while it is registered;
/// unreadable memory is left out. May be called before epitaph_start.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for NULL, 0 bytes or a range that wraps around;
/// EPITAPH_NO_ROOM if 64 ranges are registered.
epitaph_status epitaph_memory_register(const void *address, size_t size_bytes);

/// QUIET-TIME. Unregisters the range at `address`, if any.
void epitaph_memory_unregister(const void *address);

/// QUIET-TIME. Gives the calling thread an alternate signal stack. Needed only by threads not
/// created by pthread_create(3), or that existed before epitaph_start and block SIGPROF.
/// Idempotent. Returns EPITAPH_OK, or EPITAPH_SYSTEM_ERROR without memory or on an alternate stack
/// of the thread's own.
epitaph_status epitaph_thread_prepare(void);

/// QUIET-TIME. Writes a pending dump of the running process, as if the calling thread had crashed.
/// Concurrent calls wait for each other, at most 30 seconds. No system call of another thread fails
/// with EINTR: threads in a call that would are not stopped, and the dump has only what /proc shows
/// of them.
///
/// `name`, if not NULL, has 256 bytes and receives the NUL-terminated file name. `error` may be
/// NULL. Returns EPITAPH_OK, EPITAPH_NOT_STARTED, EPITAPH_NO_ROOM at the limit of pending dumps, or
/// EPITAPH_FILE_ERROR.
epitaph_status epitaph_live_dump(char *name, epitaph_error *error);

/// QUIET-TIME. Like epitaph_live_dump, into a new file at `path`, which must not exist. Nothing
/// converts or removes it: unlink(2) it or pass it to epitaph_live_dump_promote.
/// EPITAPH_INVALID_OPTION for a NULL path; the limit of pending dumps does not apply.
epitaph_status epitaph_live_dump_at(const char *path, epitaph_error *error);

/// QUIET-TIME. Moves a dump of `epitaph_live_dump_at` to the pending dumps by rename(2), so it must
/// be on their file system. Returns EPITAPH_OK, EPITAPH_NOT_STARTED, EPITAPH_INVALID_OPTION for a
/// NULL path, EPITAPH_SYSTEM_ERROR without random numbers, or EPITAPH_FILE_ERROR.
epitaph_status epitaph_live_dump_promote(const char *path, epitaph_error *error);

/// ANY-TIME. Version of the loaded library, such as "0.1.0", as a static string.
const char *epitaph_version(void);

/// ANY-TIME. Name of the dump file for the next crash, without directory and with `.locked`; "" if
/// there is none, never NULL. Owned by Epitaph; valid until the process has recovered from eight
/// more crashes, each of which makes a new file.
const char *epitaph_armed_file_name(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "epitaph_attachments.h"
#include "epitaph_attributes.h"
#include "epitaph_breadcrumbs.h"
#include "epitaph_choices.h"
#include "epitaph_errors.h"
#include "epitaph_heap_sampling.h"
#include "epitaph_heartbeats.h"
#include "epitaph_last_run.h"
#include "epitaph_limit_table.h"
#include "epitaph_live_dumps.h"
#include "epitaph_scope_copies.h"
#include "epitaph_task_scopes.h"
#include "epitaph_test_crash.h"

#endif
