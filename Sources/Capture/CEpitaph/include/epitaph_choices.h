// SPDX-License-Identifier: Apache-2.0
//
// What a program may change while it runs. The crash handler takes no lock: a crash at any moment
// finds each setting as it was before or as it is after the change. Comes with epitaph.h.

#ifndef EPITAPH_CHOICES_H
#define EPITAPH_CHOICES_H

#include "epitaph.h"
#include "epitaph_option_table.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// ANY-TIME. Sets the message that a report of this process shows as its reason: what a runtime, a
/// panic hook or an assertion prints before it ends the process. The text ends with NUL and is
/// copied, at most 4,096 bytes of it. It stays until the next call; NULL or "" removes it. May be
/// called before epitaph_start.
void epitaph_message_set(const char *text);

/// ANY-TIME. With 0, crashes from now on are passed on as if Epitaph were not there and leave no
/// dump; with another value they are captured again. The handlers and the dump file stay in place.
void epitaph_set_enabled(int is_enabled);
/// ANY-TIME. Whether a crash now would be captured: Epitaph is started and not disabled.
int epitaph_is_enabled(void);

/// QUIET-TIME. Stops handling one signal (`is_handled` 0), whose previous action is then in force
/// again, or begins to (nonzero). Returns EPITAPH_OK; EPITAPH_INVALID_OPTION for SIGKILL, SIGSTOP,
/// SIGPROF, a number that is no signal, or one that the program ignores; EPITAPH_NOT_STARTED; or
/// EPITAPH_SYSTEM_ERROR.
epitaph_status epitaph_signal_set_handled(int signal, int is_handled);

#define EPITAPH_LIMIT_FIELD(field, key, kind, ...) EPITAPH_LIMIT_TYPE_##kind field;
/// How much a dump may hold and how long a capture may take: the fields of the same names, types
/// and units as in epitaph_options. Milliseconds are uint32_t and bytes uint64_t; in this order:
/// stop_timeout_ms, capture_timeout_ms, crashing_stack_bytes, other_stack_bytes, all_stacks_bytes,
/// crashing_memory_bytes, other_memory_bytes, all_memory_bytes, registered_memory_bytes,
/// reserved_bytes (from the next dump file on: the present one has its space already), and
/// unwind_tables_bytes. EPITAPH_LIMITS in epitaph_option_table.h lists them.
typedef struct epitaph_limits {
    /// sizeof(epitaph_limits).
    uint32_t size_bytes;
    EPITAPH_LIMITS(EPITAPH_LIMIT_FIELD)
} epitaph_limits;
#undef EPITAPH_LIMIT_FIELD

/// QUIET-TIME. Stores the limits in force into `limits`, whose `size_bytes` the caller has set.
/// Returns EPITAPH_OK, EPITAPH_INVALID_OPTION for another size, or EPITAPH_NOT_STARTED.
epitaph_status epitaph_limits_get(epitaph_limits *limits);
/// QUIET-TIME. Changes the limits of later captures, all at the same moment; a field that is 0
/// stays as it is. A capture that is under way keeps its limits. The errors of epitaph_limits_get.
epitaph_status epitaph_limits_set(const epitaph_limits *limits);

/// QUIET-TIME. Returns how many of the signals that Epitaph handles have a later handler in place
/// of Epitaph's, for example from a library that was loaded since. Their crashes are lost if that
/// handler does not pass them on. With `retake` nonzero Epitaph's handlers are put back in front,
/// and the later handlers are called after the capture; a signal that is ignored stays ignored.
/// Handlers that stay displaced are listed in the next report, and by the next conversion if the
/// process ends by exit(3); epitaph_stop checks once more.
int epitaph_handlers_check(int retake);

/// QUIET-TIME. Nonzero while the death by `signal` would be marked, and noted as a breadcrumb
/// (`marked_signals` of epitaph_options): it had the default action at the start, and no other
/// handler has come since.
int epitaph_signal_end_is_marked(int signal);

/// QUIET-TIME. Notes in the dump file that the program was told that memory is short. The next
/// launch finds it with how this one ended. Does nothing if Epitaph is not started; a forked child
/// notes nothing.
void epitaph_memory_warning_note(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
