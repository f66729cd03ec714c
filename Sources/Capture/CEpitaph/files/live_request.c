// SPDX-License-Identifier: Apache-2.0
//
// Requests for live dumps, checked.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_dump_format.h"

#include <sys/syscall.h>
#include <unistd.h>

_Static_assert((int)EPITAPH_REPORT_LIVE == EPITAPH_REPORT_KIND_LIVE &&
                   (int)EPITAPH_REPORT_HANG == EPITAPH_REPORT_KIND_HANG &&
                   (int)EPITAPH_REPORT_RECOVERED_HANG == EPITAPH_REPORT_KIND_RECOVERED_HANG &&
                   (int)EPITAPH_REPORT_MEMORY_WARNING == EPITAPH_REPORT_KIND_MEMORY_WARNING &&
                   (int)EPITAPH_REPORT_HANDLED_ERROR == EPITAPH_REPORT_KIND_HANDLED_ERROR,
               "dumps have the kinds of the program");

static epitaph_status wrong(epitaph_error *error, const char *sentence) {
    return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0, "%s", sentence);
}

epitaph_status epitaph_live_request_read(const epitaph_live_request *given,
                                         epitaph_report_request *request, epitaph_error *error) {
    if (given == NULL || given->size_bytes != sizeof *given) {
        return wrong(error, "request: initialise it with EPITAPH_LIVE_REQUEST_DEFAULT");
    }
    if (given->kind < EPITAPH_REPORT_LIVE || given->kind > EPITAPH_REPORT_HANDLED_ERROR) {
        return wrong(error, "kind: it is not a value of epitaph_report_kind");
    }
    if (given->threads != EPITAPH_LIVE_THREADS_ALL &&
        given->threads != EPITAPH_LIVE_THREADS_SUBJECT) {
        return wrong(error, "threads: it is not a value of epitaph_live_threads");
    }
    pid_t subject = given->subject_thread;
    if (subject < 0 || (subject > 0 && syscall(SYS_tgkill, getpid(), subject, 0) != 0)) {
        return wrong(error, "subject_thread: this process has no such thread");
    }
    // A plain live dump is about the process unless it names a thread.
    bool has_subject = subject != 0 || given->kind != EPITAPH_REPORT_LIVE ||
                       given->threads == EPITAPH_LIVE_THREADS_SUBJECT;
    *request = (epitaph_report_request){
        .kind = (uint8_t)given->kind,
        .has_one_thread = given->threads == EPITAPH_LIVE_THREADS_SUBJECT,
        .subject_tid = subject != 0 || !has_subject ? subject : gettid(),
        .duration_ns = given->duration_ns,
        .subject_name = given->subject_name,
        .message = given->message,
        .message_source = given->message_source,
    };
    return EPITAPH_OK;
}
