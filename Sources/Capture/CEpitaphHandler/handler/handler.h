// SPDX-License-Identifier: Apache-2.0
//
// Handler entry, first record, capture, and the lines on standard error. CRASH-TIME.

#ifndef EPITAPH_HANDLER_HANDLER_H
#define EPITAPH_HANDLER_HANDLER_H

#include "capture/capture.h"
#include "prepared/emergency_stack.h"
#include "signals/usual_stack.h"

#pragma GCC visibility push(hidden)

// `epitaph_handle_signal`, which the kernel calls, needs no stack itself. On an alternate stack
// with little room or an ordinary stack of unknown size it continues on the emergency stack.

void epitaph_handle_on_emergency_stack(int signal, siginfo_t *info, void *context, uint8_t *entry);

/// With this much room left a handler stays on its alternate stack: four times the deepest capture
/// path, unoptimised. A literal for the assembler.
#define EPITAPH_HANDLER_ROOM "0x8000"

/// C entry on the stack of the kernel's frame. `entry`, the stack pointer on entry, tells whether
/// the kernel called. Returns where to go on in a handler of the program.
epitaph_usual_stack_move epitaph_handle_signal_here(int signal, siginfo_t *info, void *context,
                                                    uint8_t *entry);

/// The same on another stack; always comes back.
void epitaph_handle_signal_elsewhere(int signal, siginfo_t *info, void *context, uint8_t *entry);

// The first record: what is stored before the first system call of a crash. Reason, registers, top
// of the stack, messages. Whatever ends the process then, SIGKILL or a filter, this report exists
// and is correct. docs/dump-format.md, "The head".

/// Stores the record into the head of `file`, taken by the caller.
void epitaph_first_record_store(epitaph_dump_file *file, int signal, const siginfo_t *info,
                                const ucontext_t *context);

/// Fills in what only the kernel knows; 0 if unknown.
void epitaph_first_record_complete(int32_t pid, int32_t tid, uint64_t time_ns);

/// Offset of the end of the record in the head, or of its start if it could not be stored.
uint64_t epitaph_first_record_end(const epitaph_dump_file *file);

/// Blanks the record's registers and stack again, if it is in the head of `file`: variables that
/// the program set after the start were not known before.
void epitaph_first_record_blank(const epitaph_dump_file *file, epitaph_blanking *blanking);

/// Captures a crash, with signal, info and context set, and seals the dump.
void epitaph_capture_run(epitaph_capture *capture);

/// The same without a system call, into the armed file's head only; not sealed.
void epitaph_capture_run_silently(epitaph_capture *capture);

/// Captures a running process for the thread of `context` into `capture->live_file`, which the
/// caller seals. Releases the other threads as early as possible.
void epitaph_capture_run_live(epitaph_capture *capture);

/// Finds the file for a crash and begins writing; false if there is none.
bool epitaph_capture_file_open(epitaph_capture *capture);

/// Begins writing to `capture->file`; if `is_storing`, only to its head and without a system call.
void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing);

/// Seals the file; its head stays mapped until the process dies or arms again. The sealed name
/// tells a core-file handler that there is a dump of this death: docs/decisions/machines.md.
bool epitaph_capture_file_seal(epitaph_capture *capture);

void epitaph_capture_rearm(void);

/// Arms a file for a forked child that has none and may survive: what is sealed cannot be taken
/// back. Its end is not a launch's. The caller owns the capture.
bool epitaph_capture_arm_child(void);

/// Whether a forked child that can arm none has one of its parent's.
bool epitaph_capture_may_inherit(void);

// Signals that the program may recover from: survivors.c.

/// What the armed file holds of such a signal. With sections it cannot be emptied by stores.
typedef enum epitaph_hold_kind {
    EPITAPH_HOLDS_NOTHING,
    EPITAPH_HOLDS_RECORD,
    EPITAPH_HOLDS_HEAD,
    EPITAPH_HOLDS_SECTIONS,
} epitaph_hold_kind;

/// Whether the program has repaired this fault before, so that its record is enough.
bool epitaph_place_is_usual(int signal, const siginfo_t *info, const ucontext_t *context);

/// Leaves the armed file, taken by the caller, with the record of a signal that is passed on next.
void epitaph_hold(epitaph_hold_kind kind, int signal, const siginfo_t *info,
                  const ucontext_t *context);
/// The same for the file of a finished capture. False if it was sealed.
bool epitaph_capture_hold(epitaph_capture *capture);

void epitaph_held_is_delivered(uint64_t number, const ucontext_t *context);
/// The program's handler has returned: if it has repaired the fault the file is armed again.
void epitaph_held_note_return(uint64_t number);
/// Whether the delivery has come back at once so often that its fault is not being repaired.
bool epitaph_held_is_repeating(uint64_t number);

bool epitaph_is_held(void);
/// Whether there is an armed file, which another thread has.
bool epitaph_armed_file_is_busy(void);
/// What the armed file holds of a signal of the calling thread.
epitaph_hold_kind epitaph_held_here(void);
/// Takes the armed file of a signal that the calling thread has survived, interrupted at `context`.
/// Makes no system call.
bool epitaph_held_take_back(const ucontext_t *context);
/// Empties and arms the file if its signal is survived. False if not.
bool epitaph_held_settle(const ucontext_t *context);
/// For a crash: arms the file again if it has but the record of a usual fault.
void epitaph_held_give_way(void);
/// Whether the file has a call of abort(3), which the process does not survive, and `signal` may be
/// the last one of its handler: Go's sends it from another thread.
bool epitaph_held_is_abort(int signal);
/// Whether the calling thread is process 1 and sent itself a signal without effect: abort(3), or it
/// goes on.
bool epitaph_held_is_without_effect(void);
/// The calling thread's held signal is fatal: takes the file to write the rest, or seals it.
bool epitaph_held_take(void);
void epitaph_held_seal(void);

/// Write the dump of a crash, of a running process, and of a crash without system calls.
void epitaph_crash_sections_write(epitaph_capture *capture);
void epitaph_live_sections_write(epitaph_capture *capture);
void epitaph_silent_sections_write(epitaph_capture *capture);

// Three lines on standard error, if wanted: the signal, the last message, the dump's path. In a pod
// without a volume nothing else outlives the process.

/// Call once the dump is complete. Never waits for a reader: drops what cannot be written now.
/// `is_sealed`: the dump has its final name.
void epitaph_last_lines_write(epitaph_capture *capture, bool has_dump, bool is_sealed);

#pragma GCC visibility pop

#endif
