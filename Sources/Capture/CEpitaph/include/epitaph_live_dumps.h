// SPDX-License-Identifier: Apache-2.0
//
// Dumps of a process that lives on: their kind, subject and threads. Comes with epitaph.h.

#ifndef EPITAPH_LIVE_DUMPS_H
#define EPITAPH_LIVE_DUMPS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// Kind of a live report, which never calls it a crash.
typedef enum epitaph_report_kind {
    /// Requested by the program.
    EPITAPH_REPORT_LIVE = 2,
    /// A hang.
    EPITAPH_REPORT_HANG = 3,
    /// A hang that has recovered.
    EPITAPH_REPORT_RECOVERED_HANG = 4,
    /// Memory pressure.
    EPITAPH_REPORT_MEMORY_WARNING = 5,
    /// A handled error.
    EPITAPH_REPORT_HANDLED_ERROR = 6,
} epitaph_report_kind;

typedef enum epitaph_live_threads {
    /// All threads; they are stopped meanwhile.
    EPITAPH_LIVE_THREADS_ALL = 0,
    /// The subject only; no other thread is stopped.
    EPITAPH_LIVE_THREADS_SUBJECT = 1,
} epitaph_live_threads;

/// A request for epitaph_live_dump_request. Initialise with EPITAPH_LIVE_REQUEST_DEFAULT. The
/// caller owns the texts, which are UTF-8, NUL-terminated, and not used after the call.
typedef struct epitaph_live_request {
    /// sizeof(epitaph_live_request).
    uint32_t size_bytes;
    epitaph_report_kind kind;
    epitaph_live_threads threads;
    /// The thread that the report is about, gettid(2), of this process; 0 for the caller. Its stack
    /// and memory are kept like a crashing thread's. A thread in a system call that a signal would
    /// interrupt is not stopped: the dump has only its instruction and stack pointers.
    int32_t subject_thread;
    /// Role of that thread, for example "main queue", at most 64 bytes; NULL for none.
    const char *subject_name;
    /// Duration of the reported event, nanoseconds; 0 if not applicable.
    uint64_t duration_ns;
    /// Shown besides the message of epitaph_message_set, at most 4,096 bytes; NULL for none.
    const char *message;
    /// Source of `message`, at most 32 bytes; NULL for "app".
    const char *message_source;
    /// A new file, as for epitaph_live_dump_at; NULL for a pending dump.
    const char *path;
} epitaph_live_request;

/// Defaults: a pending dump with all threads.
#ifdef __cplusplus
#define EPITAPH_LIVE_REQUEST_DEFAULT epitaph_live_request_default()
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

/// QUIET-TIME. Writes a dump of the running process. As for epitaph_live_dump, calls take turns for
/// at most 30 seconds and no system call of another thread fails with EINTR.
///
/// `name`, if not NULL, has 256 bytes and receives the NUL-terminated file name of a pending dump.
/// `error` may be NULL. Returns EPITAPH_OK, EPITAPH_NOT_STARTED, EPITAPH_NO_ROOM at the limit of
/// pending dumps, EPITAPH_FILE_ERROR, or EPITAPH_INVALID_OPTION for a NULL request, an unknown
/// size, kind or thread choice, or a thread of another process.
epitaph_status epitaph_live_dump_request(const epitaph_live_request *request, char *name,
                                         epitaph_error *error);

/// QUIET-TIME. Takes a provisional dump in place of the previous one: it becomes a report only if
/// the kernel kills this process for lack of memory; otherwise the next sweep discards it. `path`
/// must be NULL. Returns what epitaph_live_dump_request returns.
epitaph_status epitaph_provisional_dump_take(const epitaph_live_request *request,
                                             epitaph_error *error);

/// QUIET-TIME. Discards the provisional dump, if any. epitaph_stop does so too.
void epitaph_provisional_dump_discard(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
