// SPDX-License-Identifier: Apache-2.0
//
// What the files of this target share. All QUIET-TIME.

#ifndef EPITAPH_INTERNAL_H
#define EPITAPH_INTERNAL_H

#include "epitaph.h"
#include "epitaph_capture.h"

#pragma GCC visibility push(hidden)

/// Fills in `error`, if there is one, with a sentence made as by printf(3), and returns `status`.
/// Where `error_number` is not 0 its words follow after a colon.
epitaph_status epitaph_error_set(epitaph_error *error, epitaph_status status, int error_number,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/// Checks `options` and fills in `checked`, a copy with defaults in the place of zeros.
epitaph_status epitaph_options_check(const epitaph_options *options, epitaph_options *checked,
                                     epitaph_error *error);

/// Makes the database and its pending-dumps directory and stores the latter's descriptor in the
/// settings.
epitaph_status epitaph_database_open(const char *path, epitaph_error *error);

/// Finds out what crash time cannot.
void epitaph_facts_collect(epitaph_process_facts *facts, const epitaph_options *options);
/// In a forked child: its own in the place of its parent's. Allocates nothing.
void epitaph_facts_collect_of_child(epitaph_process_facts *facts);
void epitaph_processor_facts_collect(epitaph_process_facts *facts);
void epitaph_loader_facts_collect(epitaph_process_facts *facts);

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error);
/// Makes the ring of breadcrumbs, unless there is one of that size.
epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error);

/// Marks the armed file when the process calls exit(3) or quick_exit(3), or no longer does.
void epitaph_exit_watch(int watches);

/// Marks the armed file: the process ends well, though the handlers of `displaced_signals`, bit n -
/// 1 for signal n, were not ours any more.
void epitaph_end_mark(uint64_t displaced_signals);
/// Remembers which those were when somebody looked last, for an end by exit(3).
void epitaph_end_note_displaced(uint64_t displaced_signals);

/// Whether a dump file may be made: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end a
/// program at its start, or its child at the fork.
int epitaph_may_write_files(void);

/// Removes dumps of this bundle until there is room for one more under the caps, and counts them.
/// Nothing of other bundles, nothing whose owner lives.
epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error);

/// Installs the handlers of `signals`, ended by 0.
epitaph_status epitaph_signals_install(const int *signals, epitaph_swift_backtracer backtracer,
                                       epitaph_error *error);
void epitaph_signals_uninstall(void);

/// Takes or gives up one signal; the state is locked. A negative errno or 1; 0 for a signal that is
/// ignored and stays so.
long epitaph_signal_take(int signal);
void epitaph_signal_give_up(int signal);
/// Installs our handler for `signal`; 0 or a positive errno.
int epitaph_signal_install(int signal);
/// Bit n - 1: signal n is handled, but has another handler than ours.
uint64_t epitaph_signals_displaced(void);
/// Whether options may name the signal.
int epitaph_signal_can_be_handled(int signal);

/// Whoever starts, stops or changes what epitaph_start did holds this lock.
void epitaph_state_lock(void);
void epitaph_state_unlock(void);
int epitaph_is_started(void);

// Reasons not to start. EPITAPH_OK when there is none.
epitaph_status epitaph_secure_execution_check(const epitaph_options *options, epitaph_error *error);
epitaph_status epitaph_debugger_check(const epitaph_options *options, epitaph_error *error);

/// Sees to it that C++ exceptions nobody catches leave their type and what() for the handler. Does
/// nothing in programs without a C++ runtime.
void epitaph_terminate_handler_install(void);
/// Puts the earlier terminate handler back if ours is the present one.
void epitaph_terminate_handler_uninstall(void);

/// Memory of at least `size` bytes, zeroed, with an unreadable page before it; NULL when there is
/// none. Pages are given out when they are touched first.
void *epitaph_guarded_memory_make(size_t size);
void epitaph_guarded_memory_free(void *memory, size_t size);

/// Keeps the object this library is in where it is until the process ends, whatever dlclose(3) is
/// asked: handlers, destructors of keys and stacks lead into it. Harmless to repeat.
void epitaph_library_pin(void);

/// Offers every other thread of the process an alternate stack, once in the process's life. Waits a
/// bounded time for their answers.
void epitaph_existing_threads_prepare(void);
/// Gives the memory of one such stack back if its thread has ended. Cheap; called now and then.
void epitaph_existing_threads_collect(void);

#pragma GCC visibility pop

#endif
