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
// When the process crashes it leaves a dump, `<database>/pending-dumps/<bundle-id>@<uuid>`, from
// which the cause can be found. The next launch, or `dump-convert process`, turns it into a
// minidump.
//
// Functions marked ANY-TIME are async-signal-safe (signal-safety(7)): they take no lock, allocate
// nothing and keep errno. Functions marked QUIET-TIME are not, and must not be called from a signal
// handler or from the child of a vfork(2). All of them may be called from any thread.

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

/// The result of a call.
typedef enum epitaph_status {
    /// The call succeeded.
    EPITAPH_OK = 0,
    /// An option or argument is missing or wrong. Nothing was changed.
    EPITAPH_INVALID_OPTION,
    /// epitaph_start was called before, without an epitaph_stop since.
    EPITAPH_ALREADY_STARTED,
    /// A directory or file could not be made, opened or written. The program goes on without crash
    /// reports.
    EPITAPH_FILE_ERROR,
    /// The system refused memory or a signal handler. The program goes on without crash reports.
    EPITAPH_SYSTEM_ERROR,
    /// All annotations, all ranges of registered memory, or all places for waiting dumps are in
    /// use.
    EPITAPH_NO_ROOM,
    /// epitaph_start has not been called, or epitaph_stop has been since.
    EPITAPH_NOT_STARTED,
    /// The program has more rights than the user who runs it (AT_SECURE), and
    /// `allows_secure_execution` is not set. Nothing was changed.
    EPITAPH_SECURE_EXECUTION,
    /// A debugger is attached, and `allows_debugger` is not set. Nothing was changed.
    EPITAPH_DEBUGGER_ATTACHED,
} epitaph_status;

/// Why a call failed. The message is one English sentence that names the file or option and the
/// reason.
typedef struct epitaph_error {
    /// What the call returned.
    epitaph_status status;
    /// errno(3), or 0 when no system call failed.
    int error_number;
    /// Ends with NUL.
    char message[1024];
} epitaph_error;

/// An annotation: both texts are UTF-8 and end with NUL; see epitaph_annotation_set for their
/// sizes.
typedef struct epitaph_annotation_pair {
    /// Which annotation it is; 1 to 255 bytes.
    const char *name;
    /// At most 20,480 bytes; a longer one is cut.
    const char *value;
} epitaph_annotation_pair;

/// What to do with the handler the Swift runtime may have installed for its own backtraces.
typedef enum epitaph_swift_backtracer {
    /// The backtracer does not run: after the capture the process dies as it would without it. The
    /// backtracer only writes to standard error, which can take many seconds.
    EPITAPH_SWIFT_BACKTRACER_REPLACE = 0,
    /// After the capture the backtracer runs.
    EPITAPH_SWIFT_BACKTRACER_CHAIN = 1,
} epitaph_swift_backtracer;

/// What to do about threads that existed before Epitaph started. Without an alternate signal stack
/// (sigaltstack(2)) a thread that overflows its stack dies without a report.
typedef enum epitaph_existing_threads {
    /// Each gets an alternate stack. For that it is sent one SIGPROF, whose handler is installed
    /// with SA_RESTART. System calls that are never restarted, such as epoll_wait(2) and
    /// nanosleep(2), may fail with EINTR that once; signal(7) lists them.
    EPITAPH_EXISTING_THREADS_GET_STACKS = 0,
    /// No signal is sent. A thread can call epitaph_thread_prepare() to get its stack.
    EPITAPH_EXISTING_THREADS_LEFT_ALONE = 1,
} epitaph_existing_threads;

/// How the other threads of a dying process are stopped and read.
typedef enum epitaph_thread_capture {
    /// By SIGPROF. Of a thread that blocks it the dump holds only what /proc shows: its name,
    /// state, system call, and part of its stack.
    EPITAPH_THREAD_CAPTURE_SIGNAL = 0,
    /// By SIGPROF, and threads that do not react by ptrace(2), for which the dying process clones a
    /// second one. Where ptrace is forbidden this is the same as the above.
    EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE = 1,
} epitaph_thread_capture;

/// The options of epitaph_start. Initialise them with EPITAPH_OPTIONS_DEFAULT. The memory that the
/// pointers lead to is the caller's and is not used after epitaph_start has returned.
typedef struct epitaph_options {
    /// sizeof(epitaph_options): tells a newer library which fields the program was compiled with.
    uint32_t size_bytes;
    /// Path of the directory for reports. It is made, with mode 0700, if it is missing; its parent
    /// must exist. Required.
    const char *database_path;
    /// A name for the program, for example "com.example.myd": 1 to 200 of the characters A-Z a-z
    /// 0-9 . _ -, not starting with a dot. Required.
    const char *bundle_id;
    /// Annotations that are set before the handlers are installed; NULL for none.
    const epitaph_annotation_pair *annotations;
    /// How many elements `annotations` has.
    size_t annotation_count;
    /// Signals to handle, ended by 0; NULL for SIGABRT SIGBUS SIGFPE SIGILL SIGQUIT SIGSEGV SIGSYS
    /// SIGTRAP SIGXCPU SIGXFSZ. A signal that the program ignores stays ignored.
    const int *signals;
    /// What to do with the backtracer of the Swift runtime.
    epitaph_swift_backtracer swift_backtracer;
    /// How much is kept of the crashing thread's stack, bytes; 0 for 1 MiB.
    uint64_t crashing_stack_bytes;
    /// How much is kept of the stack of each other thread, bytes; 0 for 256 KiB.
    uint64_t other_stack_bytes;
    /// How much is kept of all stacks together, bytes; 0 for 64 MiB.
    uint64_t all_stacks_bytes;
    /// How long the other threads may take to stop, milliseconds; 0 for 500.
    uint32_t stop_timeout_ms;
    /// How long a whole capture may take, milliseconds; 0 for 5,000. After that the dump is
    /// finished with what it holds, and the process dies.
    uint32_t capture_timeout_ms;
    /// Disk space that epitaph_start allocates for the dump (fallocate(2)), so that a disk that is
    /// full later does not lose the crash, bytes; 0 for 1 MiB.
    uint64_t reserved_bytes;
    /// Names of environment variables whose values may be in a dump, ended by NULL; NULL for none.
    /// Copies of all other values in memory and registers are overwritten with asterisks, except
    /// those of variables that hold no secrets, such as PATH and LANG.
    const char *const *environment_allow_list;
    /// Nonzero to put the command line into a dump.
    int includes_command_line;
    /// What to do about threads that exist already.
    epitaph_existing_threads existing_threads;
    /// How the other threads are stopped and read.
    epitaph_thread_capture thread_capture;
    /// How much memory besides stacks is kept of what the registers and the stack of the crashing
    /// thread point to, bytes; 0 for 64 KiB.
    uint64_t crashing_memory_bytes;
    /// How much memory besides stacks is kept of what the registers of each other thread point to,
    /// bytes; 0 for 4 KiB.
    uint64_t other_memory_bytes;
    /// How much memory besides stacks is kept for all threads together, bytes, at most 3 MiB; 0 for
    /// 512 KiB.
    uint64_t all_memory_bytes;
    /// How much is kept of what epitaph_memory_register named, bytes; 0 for 1 MiB.
    uint64_t registered_memory_bytes;
    /// How many dumps of this bundle may wait to be converted; 0 for 50. When the program starts
    /// and this limit or `max_pending_bytes` is reached, dumps from the middle of the sequence are
    /// removed: the first and the last of a crash loop say most. They are counted, and the next
    /// conversion reports the number. Forked children that crash write no more dumps than this
    /// either.
    uint32_t max_pending_dumps;
    /// How much disk space the waiting dumps of this bundle may take together, bytes; 0 for
    /// 256 MiB.
    uint64_t max_pending_bytes;
    /// Nonzero for a program that also calls exit(3) when something went wrong: then only
    /// epitaph_stop counts as a clean end.
    int ignores_exit;
    /// Nonzero to start even in a program with more rights than its user (AT_SECURE, getauxval(3)),
    /// such as a set-user-ID one.
    int allows_secure_execution;
    /// Nonzero to start even under a debugger; strace(1) counts as one.
    int allows_debugger;
    /// How many breadcrumbs are kept (epitaph_breadcrumbs.h), at most 1,024, 576 bytes of memory
    /// each. EPITAPH_OPTIONS_DEFAULT says 64; 0 keeps none.
    size_t breadcrumb_limit;
    /// Nonzero when the seccomp(2) filters that the program installs after epitaph_start allow the
    /// system calls listed in docs/async-safety.md, or make them fail with an errno. If it is 0, a
    /// crash under such a filter makes no system call for which the filter could kill the process,
    /// and the report holds the crashing thread alone. Filters from before the start do not
    /// matter.
    int filters_allow_capture;
    /// How much is kept of the unwind tables of modules whose files were deleted or replaced while
    /// the program ran, as a package upgrade does, bytes; 0 for 8 MiB. Without the tables stacks
    /// that pass through such modules cannot be followed.
    uint64_t unwind_tables_bytes;
    /// Nonzero to write three lines to standard error once the dump is complete: the signal, the
    /// last message of the runtime or the program, and the name of the dump. They are written only
    /// if that cannot block, and only to the file that was standard error when Epitaph started or
    /// to one that is open for appending. For programs, in a container say, of which nothing else
    /// remains.
    int writes_last_lines;
    /// Nonzero to let epitaph_test_crash end the program.
    int allows_test_crashes;
    /// Signals, ended by 0, whose death is marked in the dump file, so that the next launch
    /// can say that the process was ended by SIGTERM, for example; NULL for none. Only signals
    /// whose default action ends a process without a core dump can be marked (SIGHUP, SIGINT,
    /// SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGIO, SIGPWR, SIGSTKFLT and the
    /// real-time ones), and only those with the default action at the start are: an ignored signal
    /// stays ignored, and a later handler is in force as without Epitaph. After the mark
    /// the process dies of the signal, with the sender's siginfo. docs/launch-ends.md says what is
    /// different anyway.
    const int *marked_signals;
    /// The size of the breadcrumb file, bytes: breadcrumbs are written there as well, and survive
    /// SIGKILL and, as far as the kernel had written them out, a loss of power
    /// (docs/breadcrumb-file.md). 0 for none, otherwise 8 KiB to 16 MiB, rounded up to whole pages.
    /// Where there can be none, epitaph_breadcrumb_file_check says why, and everything else works.
    size_t breadcrumb_file_bytes;
    /// Nonzero to answer the program's own sigaction(2), signal(2), sigset(3) and the like, from
    /// anywhere in the process, as if Epitaph were not there: Epitaph's handlers stay in force, and
    /// what the program installs runs after the capture, as the kernel would have run it. If it is
    /// 0, a handler that is installed later takes the place of Epitaph's; epitaph_handlers_check
    /// finds that. docs/virtual-signal-actions.md has the limits.
    int virtual_signal_actions;
    /// Absolute path of a directory in which dumps are to wait instead of in the database, for
    /// example on a tmpfs; NULL for the database. It is made, with mode 0700, if it is missing; its
    /// parent must exist. It must have the database's owner, and nobody else may be allowed to
    /// write to it. `dump-convert process --pending` has to be told of it
    /// (docs/decisions/pending-dumps.md).
    const char *crash_directory;
    /// The mode of the files in it, whatever the umask is: 0 or 0600 for their owner alone, 0640 to
    /// let the directory's group read them. Dumps hold memory of the program.
    uint32_t crash_file_mode;
} epitaph_options;

/// Initialises epitaph_options with all defaults; the required options are still to be set.
#ifdef __cplusplus
#define EPITAPH_OPTIONS_DEFAULT epitaph_options_default()
/// For C++ before C++20, which has no designated initialisers.
static inline epitaph_options epitaph_options_default(void) {
    epitaph_options options = epitaph_options();
    options.size_bytes = sizeof options;
    options.breadcrumb_limit = EPITAPH_BREADCRUMBS_KEPT;
    return options;
}
#else
#define EPITAPH_OPTIONS_DEFAULT \
    { .size_bytes = sizeof(epitaph_options), .breadcrumb_limit = EPITAPH_BREADCRUMBS_KEPT }
#endif

/// QUIET-TIME. Makes a dump file and installs the signal handlers. Call it once, early in main,
/// before other threads exist. The calling thread, every thread made later with pthread_create(3)
/// or thrd_create(3), and by default every thread that exists already, gets an alternate signal
/// stack (sigaltstack(2)) unless it has one of at least the same size.
///
/// Returns EPITAPH_OK, or the reason why crashes are not recorded, which is also put into `error`;
/// `error` may be NULL. On failure the process is as it was before.
epitaph_status epitaph_start(const epitaph_options *options, epitaph_error *error);

/// QUIET-TIME. Puts the previous signal handlers back and writes into the dump file that the
/// process ended well, which the next launch reports. Returning from main and exit(3) do so too;
/// _exit(2), execve(2) and death by a signal do not. Threads keep their alternate stacks; threads
/// made later get none. epitaph_start may be called again. Does nothing if Epitaph is not started.
void epitaph_stop(void);

/// QUIET-TIME. Sets the annotation `name` (1 to 255 bytes) to `value` (at most 20,480 bytes; a
/// longer one is cut). Both are copied. A crash at any moment finds the old value or the new one.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for a name of another length or a NULL;
/// EPITAPH_NO_ROOM when there are 128 annotations already; EPITAPH_NOT_STARTED before
/// epitaph_start.
epitaph_status epitaph_annotation_set(const char *name, const char *value);

/// QUIET-TIME. Removes an annotation. It is no error if none has that name. Returns
/// EPITAPH_OK, EPITAPH_INVALID_OPTION or EPITAPH_NOT_STARTED.
epitaph_status epitaph_annotation_remove(const char *name);

/// QUIET-TIME. From now on a dump holds the `size_bytes` bytes at `address` as they are at the
/// crash, until they are unregistered: a ring of recent events, say, or the state of a state
/// machine. An address that is registered already gets the new size. The memory stays the caller's
/// and may even be freed while it is registered: what cannot be read at the crash is left out. May
/// be called before epitaph_start.
///
/// Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for NULL, 0 bytes or a range that wraps around;
/// EPITAPH_NO_ROOM when 64 ranges are registered already.
epitaph_status epitaph_memory_register(const void *address, size_t size_bytes);

/// QUIET-TIME. Unregisters the range at `address`; does nothing if none is registered there.
void epitaph_memory_unregister(const void *address);

/// QUIET-TIME. Gives the calling thread an alternate signal stack. Needed only by threads that were
/// not made with pthread_create(3), or that existed before Epitaph started and block SIGPROF. May
/// be repeated. Returns EPITAPH_OK, or EPITAPH_SYSTEM_ERROR when there is no memory or the thread
/// is running on an alternate stack of its own.
epitaph_status epitaph_thread_prepare(void);

/// QUIET-TIME. Writes a dump of the running process, as if the calling thread had crashed, among
/// the pending dumps. Several calls at once wait for each other, at most 30 seconds. No system call
/// of another thread fails with EINTR because of it: threads that wait in a call that would are not
/// stopped, and the dump holds only what /proc shows of them.
///
/// `name`, if it is not NULL, has room for 256 bytes and gets the dump's file name, which ends with
/// NUL. `error` may be NULL. Returns EPITAPH_OK, EPITAPH_NOT_STARTED, EPITAPH_NO_ROOM when as many
/// dumps wait as may, or EPITAPH_FILE_ERROR.
epitaph_status epitaph_live_dump(char *name, epitaph_error *error);

/// QUIET-TIME. The same, into a new file at `path`, which must not exist. It is not among the
/// pending dumps and nothing converts or removes it: unlink(2) it, or pass it to
/// epitaph_live_dump_promote. EPITAPH_INVALID_OPTION for a NULL path; no limit on waiting dumps
/// applies.
epitaph_status epitaph_live_dump_at(const char *path, epitaph_error *error);

/// QUIET-TIME. Moves a dump made by `epitaph_live_dump_at` to the pending dumps, by rename(2): it
/// has to be on the file system that dumps wait on. Returns EPITAPH_OK, EPITAPH_NOT_STARTED,
/// EPITAPH_INVALID_OPTION for a NULL path, EPITAPH_SYSTEM_ERROR without random numbers, or
/// EPITAPH_FILE_ERROR.
epitaph_status epitaph_live_dump_promote(const char *path, epitaph_error *error);

/// ANY-TIME. The version of the library that is loaded, such as "0.1.0"; EPITAPH_VERSION is that of
/// the headers. Valid forever.
const char *epitaph_version(void);

/// ANY-TIME. The name of the dump file that the next crash will be written to, without its
/// directory and with `.locked`; the empty string when there is none. Never NULL. The text is
/// Epitaph's and stays valid until the process has recovered from eight more crashes, each of which
/// makes a new file.
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
#include "epitaph_heartbeats.h"
#include "epitaph_last_run.h"
#include "epitaph_limit_table.h"
#include "epitaph_live_dumps.h"
#include "epitaph_scope_copies.h"
#include "epitaph_task_scopes.h"
#include "epitaph_test_crash.h"

#endif
