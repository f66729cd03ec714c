// SPDX-License-Identifier: Apache-2.0
//
// The crash handler: the memory it works in, its entries, live dumps, and virtual signal actions,
// and what else quiet time asks of the rooms below. Internal to the package.

#ifndef EPITAPH_HANDLER_H
#define EPITAPH_HANDLER_H

#include "epitaph_dump_file_state.h"
#include "epitaph_report_request.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. The size of the memory a capture works in, and the function that sets its address.
/// It must be zeroed, private and page-aligned.
size_t epitaph_capture_workspace_size(void);
void epitaph_capture_workspace_set(void *workspace);

/// CRASH-TIME. The handler of every crash signal: captures, seals, and passes the signal on.
void epitaph_handle_signal(int signal, siginfo_t *info, void *context);

/// CRASH-TIME. Marks the armed file, if it is this process's, and causes the default action.
void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context);

/// QUIET-TIME. Remembers which file standard error is, for the lines that a crash writes there if
/// they are wanted.
void epitaph_last_lines_prepare(bool is_wanted);

// Dumps of a process that survives; programs use epitaph.h.

/// QUIET-TIME. Captures the process, which lives on, as `request` asks into a new file, which is
/// left open and whole: one of the pending directory, or `name` in `directory` where a name is
/// given. Waits up to `timeout_ns` for another capture to end. No system call of another thread is
/// interrupted. Returns 0, -EBUSY, or another negative errno; then there is no file.
long epitaph_live_capture(epitaph_dump_file *file, const epitaph_report_request *request,
                          int directory, const char *name, uint64_t timeout_ns);

// Virtual signal actions: the program sees and changes the actions it would have without us, and
// our handler stays in force before them.

/// ANY-TIME. Does what sigaction(2) does, for a signal that our handler is installed for: `action`
/// becomes the one to which the signal is passed on. Either may be NULL.
///
/// Returns false, and has done nothing, if the caller must use sigaction(2): another signal,
/// a child of vfork(2), which shares this memory but not its signal actions, or a filter that the
/// program has installed, which may forbid the other system calls that this takes.
bool epitaph_virtual_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/// ANY-TIME. Replaces what sigaction(2) said of `signal` by what it would say without us, if it
/// named a handler of ours.
void epitaph_virtual_action_hide(int signal, struct sigaction *old);

/// ANY-TIME. Whether the kernel does with `signal` what the program wants, without our handler:
/// ignores it, or calls a handler although the signal is no crash for who handles it. Our handler
/// comes back with the default action.
bool epitaph_virtual_action_is_left(int signal);

/// ANY-TIME. Whether a thread is capturing.
bool epitaph_capture_is_going_on(void);

/// QUIET-TIME. In a forked child: closes the files it has inherited from its parent, except the
/// armed one if it may take that over.
void epitaph_forked_child_leave_files(bool is_heir);

/// QUIET-TIME. Reads what a crash will write about the executable without reading anything. Needs
/// the process facts.
void epitaph_executable_prepare(void);

/// ANY-TIME. Writes another kind and duration into a dump that is whole, with one write, so that
/// whoever reads it finds both as they were or as they are now. Returns 0 or a negative errno.
long epitaph_report_request_amend(epitaph_dump_file *file, uint8_t kind, uint64_t duration_ns);

#pragma GCC visibility pop

#endif
