// SPDX-License-Identifier: Apache-2.0
//
// Epitaph for C and C++ programs: record how this process dies.
//
//     epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
//     options.database_path = "/var/lib/myd/crashes";
//     options.bundle_id = "com.example.myd";
//     epitaph_error error;
//     if (epitaph_start(&options, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
//
// When the process crashes, `<database>/pending-dumps/<bundle-id>@<uuid>` holds what is needed to
// tell why; `dump-convert process` turns it into a minidump on the next launch.
//
// Functions marked QUIET-TIME must not be called from a signal handler; ANY-TIME ones may be.

#ifndef EPITAPH_H
#define EPITAPH_H

#include <stddef.h>
#include <stdint.h>

#include "epitaph_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef enum epitaph_status {
    EPITAPH_OK = 0,
    /// An option is missing or wrong; nothing was changed.
    EPITAPH_INVALID_OPTION,
    /// epitaph_start has been called before.
    EPITAPH_ALREADY_STARTED,
    /// The database or the dump file could not be made. The process runs on, without crash reports.
    EPITAPH_FILE_ERROR,
    /// The system refused memory or a signal handler. The process runs on, without crash reports.
    EPITAPH_SYSTEM_ERROR,
    /// All annotations are in use.
    EPITAPH_NO_ROOM,
    EPITAPH_NOT_STARTED,
    /// The program has more rights than the user who runs it (AT_SECURE), and
    /// `allows_secure_execution` is not set. Nothing was changed.
    EPITAPH_SECURE_EXECUTION,
    /// A debugger is attached, and `allows_debugger` is not set. Nothing was changed.
    EPITAPH_DEBUGGER_ATTACHED,
} epitaph_status;

/// What went wrong, as a sentence for people that names the file or option and the reason.
typedef struct epitaph_error {
    epitaph_status status;
    /// errno(3), or 0 when no system call failed.
    int error_number;
    char message[1024];
} epitaph_error;

typedef struct epitaph_annotation_pair {
    const char *name;
    const char *value;
} epitaph_annotation_pair;

/// What to do with the handler the Swift runtime may have installed for its own backtraces.
typedef enum epitaph_swift_backtracer {
    /// After the capture the process dies as it would without the backtracer. It writes to standard
    /// error only, and can take many seconds.
    EPITAPH_SWIFT_BACKTRACER_REPLACE = 0,
    /// After the capture the backtracer runs.
    EPITAPH_SWIFT_BACKTRACER_CHAIN = 1,
} epitaph_swift_backtracer;

/// What to do about threads that exist before Epitaph starts.
typedef enum epitaph_existing_threads {
    /// Each gets an alternate stack, so that its stack overflows are captured: it is sent one
    /// SIGPROF, whose handler restarts system calls (SA_RESTART). Calls that are never restarted,
    /// such as epoll_wait(2) and nanosleep(2), see signal(7), may return EINTR that once.
    EPITAPH_EXISTING_THREADS_GET_STACKS = 0,
    /// Nothing is sent. epitaph_thread_prepare() gives a thread its stack.
    EPITAPH_EXISTING_THREADS_LEFT_ALONE = 1,
} epitaph_existing_threads;

/// How the other threads of a dying process are stopped and read.
typedef enum epitaph_thread_capture {
    /// By a signal. A thread that blocks it is partial in the dump.
    EPITAPH_THREAD_CAPTURE_SIGNAL = 0,
    /// By a signal, and threads that do not answer by ptrace(2), for which a second process is
    /// cloned in the crash. Where ptrace is forbidden they are partial all the same.
    EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE = 1,
} epitaph_thread_capture;

/// Begin with EPITAPH_OPTIONS_DEFAULT. All pointers are read during epitaph_start only.
typedef struct epitaph_options {
    /// sizeof(epitaph_options), so that a later library knows which fields the program was compiled
    /// with.
    uint32_t size_bytes;
    /// The directory reports live in, made if it is missing (its parent must exist), mode 0700.
    /// Required.
    const char *database_path;
    /// Names the program, for example "com.example.myd": 1 to 200 of the characters A-Z a-z 0-9 . _
    /// -, not starting with a dot. Required.
    const char *bundle_id;
    /// Annotations to begin with; may be NULL when the count is 0.
    const epitaph_annotation_pair *annotations;
    size_t annotation_count;
    /// Signals to handle, ended by 0; NULL for SIGABRT SIGBUS SIGFPE SIGILL SIGQUIT SIGSEGV SIGSYS
    /// SIGTRAP SIGXCPU SIGXFSZ. A signal that the program ignores stays ignored.
    const int *signals;
    epitaph_swift_backtracer swift_backtracer;
    /// Stack bytes kept of the crashing thread, of each other thread, and of all together; 0 for 1
    /// MiB, 256 KiB, 64 MiB.
    uint64_t crashing_stack_bytes;
    uint64_t other_stack_bytes;
    uint64_t all_stacks_bytes;
    /// How long the other threads may take to stop, milliseconds; 0 for 500.
    uint32_t stop_timeout_ms;
    /// How long a whole capture may take, milliseconds; 0 for 5,000. Then what is there is sealed
    /// and the process dies.
    uint32_t capture_timeout_ms;
    /// Disk space set aside for the dump at the start, so that a full disk cannot lose a crash; 0
    /// for 1 MiB.
    uint64_t reserved_bytes;
    /// Names of environment variables that may be in a dump, ended by NULL; NULL for none. Copies
    /// of all others in memory and registers are blanked, but for those of PATH and its like.
    const char *const *environment_allow_list;
    /// Nonzero to put the command line into a dump.
    int includes_command_line;
    epitaph_existing_threads existing_threads;
    epitaph_thread_capture thread_capture;
    /// Memory besides stacks, bytes: what the registers and the stack of the crashing thread point
    /// to, what each other thread's registers do, all threads together (at most 3 MiB), and
    /// what epitaph_memory_register named; 0 for 64 KiB, 4 KiB, 512 KiB, 1 MiB.
    uint64_t crashing_memory_bytes;
    uint64_t other_memory_bytes;
    uint64_t all_memory_bytes;
    uint64_t registered_memory_bytes;
    /// Dumps of this bundle that may wait to be converted, and the disk space they may take
    /// together; 0 for 50 and 256 MiB. When the program starts and they are reached, dumps from the
    /// middle go: the first and the last of a crash loop tell most. What went is counted, and told
    /// of by the next conversion. Children that are forked and crash write no more than this many
    /// either.
    uint32_t max_pending_dumps;
    uint64_t max_pending_bytes;
    /// Nonzero for a program for which exit(3) is no good end: then only epitaph_stop marks one.
    int ignores_exit;
    /// Nonzero to start in a program with more rights than its user (AT_SECURE, getauxval(3)).
    int allows_secure_execution;
    /// Nonzero to start under a debugger; strace(1) counts as one.
    int allows_debugger;
    /// How many breadcrumbs are kept (epitaph_breadcrumbs.h), at most 1,024, 320 bytes of memory
    /// each. EPITAPH_OPTIONS_DEFAULT says 64; 0 keeps none.
    size_t breadcrumb_limit;
    /// Nonzero when the seccomp filters that the program installs after the start allow the calls
    /// listed in docs/async-safety.md, or answer them with an errno. Without it a crash under such
    /// a filter makes no call that could end the process in another way than the crash: the report
    /// then has the crashing thread alone. Filters from before the start do not count.
    int filters_allow_capture;
    /// Unwind tables kept of modules whose files were deleted or replaced while the program ran, as
    /// by a package upgrade, bytes: without them the stacks in such modules could not be followed
    /// any more; 0 for 8 MiB.
    uint64_t unwind_tables_bytes;
    /// Nonzero to write three lines to standard error while dying, once the dump is whole: the
    /// signal, the last words of the runtime or the program, and the name of the dump. Only where
    /// that cannot block, and only to what was standard error when Epitaph started, or a file that
    /// is open for appending. For programs whose standard error is all that outlives them.
    int writes_last_lines;
} epitaph_options;

#define EPITAPH_OPTIONS_DEFAULT \
    { .size_bytes = sizeof(epitaph_options), .breadcrumb_limit = 64 }

/// QUIET-TIME. Arms a dump file and installs the signal handlers. Call it early in main, before
/// other threads exist, once per process. The calling thread, every thread made later with
/// pthread_create(3) or thrd_create(3), and by default every other thread there is, gets an
/// alternate signal stack unless it has one of at least the same size.
///
/// `error` may be NULL. On failure the process is as it was before.
epitaph_status epitaph_start(const epitaph_options *options, epitaph_error *error);

/// QUIET-TIME. Puts the earlier signal handlers back and marks the armed dump file: the process
/// ended well, and the next launch can tell. Threads keep their alternate stacks, and new ones get
/// none. Returning from main and exit(3) mark the file too; _exit(2), execve(2) and death by a
/// signal do not.
void epitaph_stop(void);

/// QUIET-TIME. Sets the annotation `name` (1 to 255 bytes) to `value` (at most 20,480 bytes; longer
/// ones are cut). A crash at any moment sees the old or the new value. From any thread.
epitaph_status epitaph_annotation_set(const char *name, const char *value);

/// QUIET-TIME. Removes an annotation; one that is not there is no error. From any thread.
epitaph_status epitaph_annotation_remove(const char *name);

/// QUIET-TIME. Puts `size_bytes` bytes at `address`, as they are at a crash, into dumps until
/// they are unregistered: a ring of recent events, a state machine, a header. At most 64 ranges
/// (EPITAPH_NO_ROOM); an address that is registered already gets the new size. The memory may be
/// freed while it is registered: what is unreadable at a crash is left out. From any thread, before
/// and after epitaph_start.
epitaph_status epitaph_memory_register(const void *address, size_t size_bytes);

/// QUIET-TIME. Takes the range that was registered at `address` out again; one that is not there is
/// no error. From any thread.
void epitaph_memory_unregister(const void *address);

/// QUIET-TIME. Gives the calling thread an alternate signal stack, for threads that were not made
/// with pthread_create(3), or that existed before Epitaph started and block SIGPROF. Harmless to
/// repeat.
epitaph_status epitaph_thread_prepare(void);

/// QUIET-TIME. Captures the process without ending it, for the calling thread, into a pending dump
/// like that of a crash. From any thread; several at once take turns. No system call of another
/// thread fails with EINTR because of it: threads that wait in one that could are not stopped, and
/// are in the dump with what the kernel tells of them.
///
/// `name`, if it is not NULL, gets the dump's file name in pending-dumps; 256 bytes.
epitaph_status epitaph_live_dump(char *name, epitaph_error *error);

/// QUIET-TIME. The same into a new file at `path`, which nothing sweeps: throw it away with
/// unlink(2), or promote it.
epitaph_status epitaph_live_dump_at(const char *path, epitaph_error *error);

/// QUIET-TIME. Moves a dump made by `epitaph_live_dump_at` to the pending dumps, from the same file
/// system.
epitaph_status epitaph_live_dump_promote(const char *path, epitaph_error *error);

/// ANY-TIME. The name of the dump file that is armed, without its directory and with `.locked`;
/// empty when there is none. It stays as it is until the process has recovered from eight more
/// crashes, each of which arms a new file.
const char *epitaph_armed_file_name(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "epitaph_breadcrumbs.h"
#include "epitaph_choices.h"

#endif
