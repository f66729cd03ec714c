// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a process that lives on, as the program asks for them: what they are of, which thread
// they are about, which threads they hold. Comes with epitaph.h.

#ifndef EPITAPH_LIVE_DUMPS_H
#define EPITAPH_LIVE_DUMPS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// What a report of a process that lives on is of. A report says it, and never calls it a crash.
typedef enum epitaph_report_kind {
    /// The program wanted to see itself.
    EPITAPH_REPORT_LIVE = 2,
    /// Something did not react for too long.
    EPITAPH_REPORT_HANG = 3,
    /// The same, but it reacts again.
    EPITAPH_REPORT_RECOVERED_HANG = 4,
    /// Memory became scarce.
    EPITAPH_REPORT_MEMORY_WARNING = 5,
    /// An error that the program handled.
    EPITAPH_REPORT_HANDLED_ERROR = 6,
} epitaph_report_kind;

/// Which threads a live dump holds.
typedef enum epitaph_live_threads {
    /// All of them. They stand still meanwhile.
    EPITAPH_LIVE_THREADS_ALL = 0,
    /// The one that it is about. No other is stopped.
    EPITAPH_LIVE_THREADS_SUBJECT = 1,
} epitaph_live_threads;

/// What epitaph_live_dump_request is to capture. Initialise it with EPITAPH_LIVE_REQUEST_DEFAULT.
/// The texts are the caller's, are UTF-8, end with NUL, and are not used after the call.
typedef struct epitaph_live_request {
    /// sizeof(epitaph_live_request).
    uint32_t size_bytes;
    /// What the report is of.
    epitaph_report_kind kind;
    /// Which threads are in it.
    epitaph_live_threads threads;
    /// The thread that it is about, gettid(2), of this process; 0 for the calling one. Its stack
    /// and what its registers point to are kept as a crashing thread's are. A thread that waits in
    /// a system call that would notice a signal is not stopped: of its registers the dump has the
    /// instruction and the stack pointer.
    int32_t subject_thread;
    /// What that thread is to the program, for example "main queue": at most 64 bytes; NULL for
    /// none.
    const char *subject_name;
    /// How long what the report is about has lasted, nanoseconds; 0 where that means nothing.
    uint64_t duration_ns;
    /// What the report says in the program's words besides epitaph_message_set's: at most 4,096
    /// bytes; NULL for none.
    const char *message;
    /// Who says it, at most 32 bytes; NULL for "app".
    const char *message_source;
    /// A new file to make, which nothing converts or removes, as with epitaph_live_dump_at; NULL
    /// for a pending dump.
    const char *path;
} epitaph_live_request;

/// Initialises epitaph_live_request with all defaults: a dump of all threads that is pending.
#ifdef __cplusplus
#define EPITAPH_LIVE_REQUEST_DEFAULT epitaph_live_request_default()
/// As epitaph_options_default.
static inline epitaph_live_request epitaph_live_request_default(void) {
    epitaph_live_request request = epitaph_live_request();
    request.size_bytes = sizeof request;
    request.kind = EPITAPH_REPORT_LIVE;
    return request;
}
#else
#define EPITAPH_LIVE_REQUEST_DEFAULT \
    { .size_bytes = sizeof(epitaph_live_request), .kind = EPITAPH_REPORT_LIVE }
#endif

/// QUIET-TIME. Writes a dump of the running process as `request` describes it. What holds for
/// epitaph_live_dump holds here: calls take turns for at most 30 seconds, and no system call of
/// another thread fails with EINTR.
///
/// `name`, if it is not NULL, has room for 256 bytes and gets the file name of a pending dump,
/// which ends with NUL. `error` may be NULL. Returns EPITAPH_OK, EPITAPH_NOT_STARTED,
/// EPITAPH_NO_ROOM when as many dumps wait as may, EPITAPH_FILE_ERROR, or EPITAPH_INVALID_OPTION
/// for a NULL request, one of another size, of a kind or choice of threads that is not listed
/// above, or about a thread that is not of this process.
epitaph_status epitaph_live_dump_request(const epitaph_live_request *request, char *name,
                                         epitaph_error *error);

/// QUIET-TIME. The same, provisionally: the dump becomes a report only if the kernel kills this
/// process because memory ran out, and the next sweep throws it away otherwise. It takes the place
/// of the provisional dump there was. For programs that see memory become scarce; `path` must be
/// NULL. Returns what epitaph_live_dump_request returns.
epitaph_status epitaph_provisional_dump_take(const epitaph_live_request *request,
                                             epitaph_error *error);

/// QUIET-TIME. Throws the provisional dump away, if there is one: memory is not scarce any more.
/// epitaph_stop does so too.
void epitaph_provisional_dump_discard(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
