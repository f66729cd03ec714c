// SPDX-License-Identifier: Apache-2.0
//
// What a program may choose and say while it runs. The handler takes no lock: a crash at any moment
// sees each choice as it was before or as it is after. Comes with epitaph.h.

#ifndef EPITAPH_CHOICES_H
#define EPITAPH_CHOICES_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. Takes last words for the report of this process, up to 4096 bytes: what a runtime, a
/// panic hook or an assertion has to say before it ends the process. The latest text counts and
/// stays until the next; NULL or "" takes it back. Works before epitaph_start as well.
void epitaph_message_set(const char *text);

/// ANY-TIME. 0: from now on crashes are passed on as if Epitaph were not there, and leave no file.
/// Nonzero: they are captured again. The armed dump file stays in both cases.
void epitaph_set_enabled(int is_enabled);
/// ANY-TIME. Whether a crash now would be captured: Epitaph is started and not disabled.
int epitaph_is_enabled(void);

/// QUIET-TIME. Gives up one signal (`is_handled` 0), whose earlier action then is in force again,
/// or takes it (nonzero). EPITAPH_INVALID_OPTION for a signal that cannot be handled or that the
/// program ignores.
epitaph_status epitaph_signal_set_handled(int signal, int is_handled);

/// What a dump may hold and how long it may take: the fields of the same names in epitaph_options.
typedef struct epitaph_limits {
    /// sizeof(epitaph_limits).
    uint32_t size_bytes;
    uint32_t stop_timeout_ms;
    uint32_t capture_timeout_ms;
    uint64_t crashing_stack_bytes;
    uint64_t other_stack_bytes;
    uint64_t all_stacks_bytes;
    uint64_t crashing_memory_bytes;
    uint64_t other_memory_bytes;
    uint64_t all_memory_bytes;
    uint64_t registered_memory_bytes;
    /// Counts from the next dump file on: the armed one has its space already.
    uint64_t reserved_bytes;
    uint64_t unwind_tables_bytes;
} epitaph_limits;

/// QUIET-TIME. The limits in force; `limits->size_bytes` must be set.
epitaph_status epitaph_limits_get(epitaph_limits *limits);
/// QUIET-TIME. Changes the limits of later captures, all at once; a field that is 0 stays as it is.
/// A capture that is going on keeps its own.
epitaph_status epitaph_limits_set(const epitaph_limits *limits);

/// QUIET-TIME. How many of the signals Epitaph handles have got another handler since, for example
/// from a library that was loaded later; their crashes are lost if that handler does not pass them
/// on. With `retake` nonzero Epitaph's handlers are put back, and the newcomers are called after
/// the capture; a signal that is ignored stays so. What was found and stays so is told by the next
/// report, and by the next conversion if the process ends by exit(3); epitaph_stop looks again.
int epitaph_handlers_check(int retake);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
