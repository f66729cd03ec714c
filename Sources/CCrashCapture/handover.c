// SPDX-License-Identifier: Apache-2.0
//
// A library that displaced our handler may have kept ours as the one to call next. Once we have
// taken the signal back, such a handler is both after us and before us: the fault goes from us to
// it and back to us, and then has to go to whoever was there first.

#include "handover.h"

#include "bytes.h"
#include "epitaph_capture.h"
#include "owner.h"
#include "signals.h"

#include <ucontext.h>

enum { NOTE_COUNT = 64 };

/// The entry of a thread into the handler. The kernel puts a handler's frame at a fixed distance
/// from the context, so the same context with another frame is a call by another handler.
typedef struct entry_note {
    int32_t tid;
    int signal;
    void *context;
    void *frame;
} entry_note;

/// By thread id, so that threads that crash together seldom share one.
static entry_note notes[NOTE_COUNT];

static entry_note *note_of(int32_t tid) {
    return &notes[(uint32_t)tid % NOTE_COUNT];
}

static bool has_bit(uint64_t signals, int signal) {
    return (signals >> (signal - 1) & 1) != 0;
}

static bool is_passed_back(int signal, const void *context, const void *frame) {
    if (!has_bit(epitaph_capture_settings_now.retaken_signals, signal)) return false;
    int32_t tid = epitaph_sys_gettid();
    const entry_note *note = note_of(tid);
    return note->tid == tid && note->signal == signal && note->context == context &&
           note->frame != frame;
}

static void take(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                 void *context) {
    if (action->handler == (void *)SIG_DFL || action->handler == (void *)SIG_IGN) {
        epitaph_signal_take_default(signal, info, context);
    } else {
        epitaph_signal_call(action, signal, info, context);
    }
}

bool epitaph_handover(int signal, siginfo_t *info, void *context, void *frame) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_kernel_sigaction action;
    // A fault of the handler itself belongs to its capture.
    if (epitaph_owner_is_self()) return false;
    if (is_passed_back(signal, context, frame)) {
        action = epitaph_signal_original_action(signal);
        take(&action, signal, info, context);
        return true;
    }
    entry_note *note = note_of(epitaph_sys_gettid());
    note->tid = epitaph_sys_gettid();
    note->signal = signal;
    note->context = context;
    note->frame = frame;
    if (__atomic_load_n(&settings->is_disabled, __ATOMIC_ACQUIRE) == 0 &&
        has_bit(settings->handled_signals, signal)) {
        return false;
    }
    action = epitaph_signal_previous_action(signal);
    take(&action, signal, info, context);
    epitaph_handover_end(context);
    return true;
}

void epitaph_handover_end(void *context) {
    entry_note *note = note_of(epitaph_sys_gettid());
    if (note->context == context) note->context = NULL;
}
