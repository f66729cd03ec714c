// SPDX-License-Identifier: Apache-2.0
//
// Entry of a crash, its first record, and the capture: its file, its sections, and the lines it
// leaves. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_H
#define EPITAPH_HANDLER_HANDLER_H

#include "capture/capture.h"
#include "prepared/emergency_stack.h"

#pragma GCC visibility push(hidden)

// The first instructions of the crash handler. `epitaph_handle_signal`, the function the kernel
// calls, is a few instructions that need no stack themselves: on an alternate stack with little
// room, or on an ordinary stack of unknown size, they continue on the emergency stack.

/// Called on the emergency stack.
void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context,
                                       const void *entry);

/// With this much room left a handler stays on its alternate stack: four times what the deepest
/// path of a capture needs without optimisation. A literal that the assembler can use.
#define EPITAPH_HANDLER_ROOM "0x8000"

/// Entry of the handler's C code, on whichever stack. `entry` is the stack pointer the handler was
/// entered with; it shows whether the kernel called it or another handler.
void epitaph_handle_signal_here(int signal, siginfo_t *info, void *context, const void *entry);

// What is stored about a crash before its first system call: the reason, the registers, the top of
// the stack and the runtimes' messages. Whatever ends the process from then on, SIGKILL or a filter
// that forbids the next call, this report exists and is correct. docs/dump-format.md, "The head".

/// Stores the record into the head of `file`, which the caller has taken.
void epitaph_first_record_store(epitaph_dump_file *file, int signal, const siginfo_t *info,
                                const ucontext_t *context);

/// Fills in what only the kernel knows; 0 for values that are not known.
void epitaph_first_record_complete(int32_t pid, int32_t tid, uint64_t time_ns);

/// The offset behind the record in the head, or where it would be if it could not be stored.
uint64_t epitaph_first_record_end(const epitaph_dump_file *file);

/// Blanks its registers and its stack again, if it is in the head of `file`: what the program has
/// added to its environment since the start was not known when they were stored.
void epitaph_first_record_blank(const epitaph_dump_file *file, epitaph_blanking *blanking);

// One capture from its beginning to its end.

/// Captures a crash, whose signal, info and context are set, and seals the dump.
void epitaph_capture_run(epitaph_capture *capture);

/// The same without a system call, only into the head of the armed file, which is not sealed.
void epitaph_capture_run_silently(epitaph_capture *capture);

/// Captures a process that survives, for the thread whose `context` is set, into
/// `capture->live_file`, which stays open and locked: the caller seals it. The other threads are
/// released as early as possible.
void epitaph_capture_run_live(epitaph_capture *capture);

// Which file a capture writes to.

/// Finds the file for a crash and begins writing; false if there is none.
bool epitaph_capture_file_open(epitaph_capture *capture);

/// Begins writing to `capture->file`; with `is_storing` only to its head, without a system call.
void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing);

/// Seals the file; its head stays mapped until the process is dead or armed again. By
/// this a handler of core files knows that there is a dump of this death:
/// docs/decisions/machines.md.
bool epitaph_capture_file_seal(epitaph_capture *capture);

/// Arms a new dump file for a process that survives.
void epitaph_capture_rearm(void);

// The parts of a dump and their order.

/// Writes the dump of a crash, the most valuable first.
void epitaph_crash_sections_write(epitaph_capture *capture);
/// Writes the dump of a process that survives; its threads continue as early as possible.
void epitaph_live_sections_write(epitaph_capture *capture);
/// Writes what can be read at a crash without a system call.
void epitaph_silent_sections_write(epitaph_capture *capture);

// Three lines on standard error, if the program has asked for them: the signal, the last message,
// and where the dump is. In a pod without a volume nothing else outlives the process.

/// Writes the lines once the dump is complete. Never waits for their reader: what cannot be written
/// now is not written. `has_dump` says whether there is a dump, and `is_sealed` whether its file
/// has its final name.
void epitaph_last_lines_write(epitaph_capture *capture, bool has_dump, bool is_sealed);

#pragma GCC visibility pop

#endif
