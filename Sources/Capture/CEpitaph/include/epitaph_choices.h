// SPDX-License-Identifier: Apache-2.0
//
// Settings that may change at run time. A crash finds each as it was before or after a change.
// Comes with epitaph.h.

#ifndef EPITAPH_CHOICES_H
#define EPITAPH_CHOICES_H

#include "epitaph.h"
#include "epitaph_option_table.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. Sets the message that reports show as the reason, such as the output of a panic hook
/// or assertion. NUL-terminated; at most 4,096 bytes are copied. Kept until the next call; NULL or
/// "" removes it. May be called before epitaph_start.
void epitaph_message_set(const char *text);

/// ANY-TIME. With 0, crashes leave no dump and are passed on as without Epitaph; nonzero captures
/// them again. Handlers and dump file stay in place.
void epitaph_set_enabled(int is_enabled);
/// ANY-TIME. Nonzero if a crash would be captured: Epitaph is started and enabled.
int epitaph_is_enabled(void);

/// QUIET-TIME. Starts handling one signal, or with `is_handled` 0 stops and restores its previous
/// action. Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for SIGKILL, SIGSTOP, SIGPROF, an invalid
/// signal or one that the program ignores; EPITAPH_NOT_STARTED; or EPITAPH_SYSTEM_ERROR.
epitaph_status epitaph_signal_set_handled(int signal, int is_handled);

#define EPITAPH_LIMIT_FIELD(field, key, kind, ...) EPITAPH_LIMIT_TYPE_##kind field;
/// Limits of dumps and captures: fields as in epitaph_options, uint32_t for milliseconds and
/// uint64_t for bytes, in the order of EPITAPH_LIMITS in epitaph_option_table.h: stop_timeout_ms,
/// capture_timeout_ms, crashing_stack_bytes, other_stack_bytes, all_stacks_bytes,
/// crashing_memory_bytes, other_memory_bytes, all_memory_bytes, registered_memory_bytes,
/// reserved_bytes (from the next dump file on) and unwind_tables_bytes.
typedef struct epitaph_limits {
    /// sizeof(epitaph_limits).
    uint32_t size_bytes;
    EPITAPH_LIMITS(EPITAPH_LIMIT_FIELD)
} epitaph_limits;
#undef EPITAPH_LIMIT_FIELD

/// QUIET-TIME. Stores the current limits in `limits`, whose `size_bytes` the caller sets. Returns
/// EPITAPH_OK, EPITAPH_INVALID_OPTION for an unknown size, or EPITAPH_NOT_STARTED.
epitaph_status epitaph_limits_get(epitaph_limits *limits);
/// QUIET-TIME. Atomically changes the limits of later captures; fields that are 0 are unchanged,
/// and running captures keep their limits. Returns what epitaph_limits_get returns.
epitaph_status epitaph_limits_set(const epitaph_limits *limits);

/// QUIET-TIME. Returns how many handlers of Epitaph have been replaced, for example by a library
/// loaded later. If the new handler does not pass crashes on, they are lost. With `retake` nonzero
/// Epitaph's handlers are put back in front and call the later ones after the capture; ignored
/// signals stay ignored. Handlers that stay displaced are listed in the next report, and by the
/// next conversion if the process ends by exit(3); epitaph_stop checks once more.
int epitaph_handlers_check(int retake);
/// QUIET-TIME. Which handlers epitaph_handlers_check counts: bit n - 1 stands for signal n.
uint64_t epitaph_handlers_displaced(void);

/// QUIET-TIME. Nonzero if the death by `signal` would be marked and recorded as a breadcrumb
/// (`marked_signals`): it had the default action at the start and still has no other handler.
int epitaph_signal_end_is_marked(int signal);

/// QUIET-TIME. Records in the dump file that the program was told of memory pressure; the next
/// launch reports it with this run's end. Does nothing if not started, or in a forked child.
void epitaph_memory_warning_note(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
