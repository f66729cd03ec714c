// SPDX-License-Identifier: Apache-2.0
//
// What a dump of a process that lives on is to hold, and to say of itself. Internal to the package:
// programs use epitaph_live_dumps.h.

#ifndef EPITAPH_REPORT_REQUEST_H
#define EPITAPH_REPORT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_SUBJECT_NAME_SIZE = 64,
    EPITAPH_REQUEST_SOURCE_SIZE = 32,
    EPITAPH_REQUEST_MESSAGE_SIZE = 4096,
};

/// The texts are the caller's, and NULL for none.
typedef struct epitaph_report_request {
    /// An `epitaph_dump_report_kind`.
    uint8_t kind;
    /// Whether the subject alone is captured.
    bool has_one_thread;
    /// Whether a sweep throws the dump away unless the process was killed for want of memory.
    bool is_provisional;
    /// The thread that the report is about; 0 for none.
    int32_t subject_tid;
    uint64_t duration_ns;
    const char *subject_name;
    const char *message_source;
    const char *message;
} epitaph_report_request;

#pragma GCC visibility pop

#endif
