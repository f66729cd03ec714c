// SPDX-License-Identifier: Apache-2.0
//
// The crash handler, live dumps and virtual signal actions. Internal to the package.

#ifndef EPITAPH_HANDLER_H
#define EPITAPH_HANDLER_H

#include "epitaph_dump_file_state.h"
#include "epitaph_report_request.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. Size and address of the capture memory, which must be zeroed, private, page-aligned.
/// The kernel may zero it in forked children.
size_t epitaph_capture_workspace_size(void);
void epitaph_capture_workspace_set(void *workspace);

/// QUIET-TIME. Before any handler was installed that would use it.
void epitaph_capture_workspace_forget(void);

/// CRASH-TIME. The handler of all crash signals: captures, seals, and passes the signal on.
void epitaph_handle_signal(int signal, siginfo_t *info, void *context);

/// CRASH-TIME. Marks the armed file if this process owns it, and causes the default action.
void epitaph_handle_marked_signal(int signal, siginfo_t *info, void *context);

/// QUIET-TIME. Remembers which file standard error is, in case a crash is to write lines there.
void epitaph_last_lines_prepare(bool is_wanted);

/// QUIET-TIME. Captures the running process into a new file as `request` says, and leaves the
/// complete file open. It is `name` in `directory`, or in the pending directory if `name` is NULL.
/// Waits up to `timeout_ns` for another capture to end. Interrupts no system call of another
/// thread. Returns 0, -EBUSY or another negative errno; on failure there is no file.
long epitaph_live_capture(epitaph_dump_file *file, const epitaph_report_request *request,
                          int directory, const char *name, uint64_t timeout_ns);

// Virtual signal actions: the program sees and changes the actions it would have without us, while
// our handler stays installed in front of them.

/// ANY-TIME. sigaction(2) for a signal that has our handler: `action` becomes the action the signal
/// is passed on to. Either pointer may be NULL.
///
/// Returns false, having done nothing, if the caller must use sigaction(2): for another signal, in
/// a child of vfork(2), which shares this memory but not its signal actions, or if the program has
/// installed a filter, which may forbid the system calls needed here.
bool epitaph_virtual_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/// ANY-TIME. Replaces our handler in `old`, from sigaction(2), by what it would return without us.
void epitaph_virtual_action_hide(int signal, struct sigaction *old);

/// ANY-TIME. Whether the kernel does with `signal` what the program wants, without our handler:
/// ignores it, or calls a handler for which it is no crash. The default action brings ours back.
bool epitaph_virtual_action_is_left(int signal);

/// ANY-TIME. dlclose(3) has removed the library that was there. Crashes have the last of these.
void epitaph_unloaded_module_note(uint64_t start, uint64_t end, const char *path);

bool epitaph_capture_is_going_on(void);

/// ANY-TIME. If the armed file has the record of a signal that the process has survived, empties
/// and arms it. Call where the process shows that it goes on, and before its end is marked
/// (`is_ending`). Without such a record only a load.
void epitaph_held_settle_quietly(bool is_ending);

/// ANY-TIME. The same for a signal of the calling thread, if its stack alone shows that it has left
/// the handler.
void epitaph_held_settle_here(void);

/// QUIET-TIME. Makes files for crashes of later children, unless there are any or a capture is
/// going on; and closes them again, removing their names if this process made them.
void epitaph_spare_files_make(void);
void epitaph_spare_files_leave(void);

/// QUIET-TIME. In a forked child: closes inherited files, with `is_heir` not the armed one, and
/// notes whether it is to make a file. Keeps errno.
void epitaph_forked_child_leave_files(bool is_heir, bool owes_file);

/// QUIET-TIME. Reads what the first record holds of modules. Needs the process facts.
void epitaph_modules_prepare(void);

/// ANY-TIME. Changes kind and duration of a complete dump with a single write, so that a reader
/// sees both old or both new. Returns 0 or a negative errno.
long epitaph_report_request_amend(epitaph_dump_file *file, uint8_t kind, uint64_t duration_ns);

#pragma GCC visibility pop

#endif
