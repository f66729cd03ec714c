// SPDX-License-Identifier: Apache-2.0
//
// A signal on its way through our handler. CRASH-TIME.

#ifndef EPITAPH_HANDLER_ARRIVAL_H
#define EPITAPH_HANDLER_ARRIVAL_H

#include "epitaph_handler.h"
#include "handler/handler.h"
#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// A signal passed to us by the kernel or by a handler of the program.
typedef struct epitaph_arrival {
    int signal;
    siginfo_t *info;
    ucontext_t *context;
    void *frame;
    bool is_kernel_entry;
    bool has_file;
    /// Passed on before: a fault that came again, or what a handler of the program raised.
    bool was_delivered;
    /// The kernel's, below which this handler runs; NULL: it runs elsewhere.
    uint8_t *kernel_frame;
    /// Where the thread goes on instead of returning.
    epitaph_usual_stack_move move;
    epitaph_arrival_mark mark;
} epitaph_arrival;

/// Begins a capture of it. The caller owns the capture.
void epitaph_arrival_begin(epitaph_capture *capture, epitaph_arrival *arrived);

/// Takes the armed file and stores the first record, before any system call. Does neither in a
/// forked child, whose process page is empty.
bool epitaph_arrival_store_record(epitaph_arrival *arrived);

/// Of a signal without effect: the file is armed again.
void epitaph_arrival_take_back_record(epitaph_arrival *arrived);

// came_back.c

/// A signal that the program got now ends the process: what is held of it becomes the dump, and
/// what was left out of it is captured.
void epitaph_arrival_prepare_end(const epitaph_arrival *arrived);

/// A fault came again after the program's handler returned, and goes there again: not repaired, or
/// one more at the same place.
void epitaph_arrival_prepare_again(const epitaph_arrival *arrived);

// meeting.c

/// Whether the calling thread's own capture is interrupted by a signal that was sent, and by no
/// fault. Nothing is left to do then.
bool epitaph_arrival_is_of_capture(const epitaph_capture *capture, const epitaph_arrival *arrived);

/// Of a sent signal: whether it met one that is being handled. Then it belongs to that one's death,
/// or arrives again once that handler is over.
bool epitaph_arrival_is_met(const epitaph_capture *capture, const epitaph_arrival *arrived);

/// Gives a signal that met one, and arrives again, its own code back.
void epitaph_arrival_undisguise(siginfo_t *info);

/// Waits for the thread that took the armed file to own the capture, to become part of its dump.
void epitaph_arrival_let_first_go_first(const epitaph_arrival *arrived);

/// Waits until the other thread's capture is over; if it does not end, `is_over` is set and the
/// process dies of this signal.
void epitaph_arrival_wait_in_place(epitaph_capture *capture, const epitaph_arrival *arrived,
                                   bool *is_over);

#pragma GCC visibility pop

#endif
