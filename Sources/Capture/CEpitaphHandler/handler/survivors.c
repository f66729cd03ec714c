// SPDX-License-Identifier: Apache-2.0
//
// A signal that is passed on to a handler of the program is a crash only if the process dies of it.
// Runtimes repair faults: null checks, safepoints, write barriers. So the armed file keeps the
// record of such a signal, unsealed, while the handler has it. If the process dies in there, the
// next sweep finds a crash in the file of a dead owner. If the handler returns or jumps away, the
// file is emptied and armed again. docs/decisions/dying-the-true-death.md.

#include "handler/handler.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_placement.h"
#include "file/armed_file.h"
#include "signals/actions.h"
#include "threads/threads.h"

enum {
    /// Places, by signal and address, where faults were repaired.
    PLACE_COUNT = 256,
    /// After this many repaired faults at new places, as of compiled code, all are usual.
    SURVIVALS_LIMIT = 64,
    /// And a signal after it was sent this often.
    SENT_SURVIVALS_LIMIT = 16,
    /// A fault that came back this often at once, with the same registers, is not being repaired:
    /// 60 ms of faults. A loop without optimisation has the same registers each time, too.
    REPEATS_LIMIT = 2048,
    /// How often an end looks whether a thread that runs has left its handler.
    LOOKS_LIMIT = 10,
};

static const uint64_t look_pause_ns = 1000000;

/// How long an end of a held signal waits for a capture of another thread.
static const uint64_t other_capture_timeout_ns = 200ull * 1000000;
static const uint64_t other_capture_pause_ns = 50000;

/// Valid while the armed file is EPITAPH_FILE_HELD; written by the thread that has taken it.
static struct {
    /// Of its delivery; 0 while that is not on its way.
    uint64_t number;
    uint64_t thread_pointer;
    /// Its alternate stack, as the kernel stored it with the signal.
    const void *signal_stack;
    uint64_t place;
    int signal;
    bool is_fault;
    /// abort(3) ends the process also if a handler returns.
    bool is_abort;
    /// Process 1 sent it itself, without a handler: abort(3), or it lives on.
    bool is_without_effect;
    epitaph_hold_kind kind;
    /// End of what is stored in the head.
    uint64_t stored_end;
} held;

static EPITAPH_SPARSE uint64_t places[PLACE_COUNT];
static uint32_t survival_count;
/// Of each signal that was sent, from wherever the thread was: a timer's comes more often than a
/// capture ends.
static uint32_t sent_survival_counts[EPITAPH_SIGNAL_LIMIT];

static epitaph_dump_file *armed_file(void) {
    return &epitaph_capture_settings_now.dump_file;
}

static bool is_state(uint32_t state) {
    return __atomic_load_n(&armed_file()->state, __ATOMIC_ACQUIRE) == state;
}

static bool change_state(uint32_t present, uint32_t next) {
    return __atomic_compare_exchange_n(&armed_file()->state, &present, next, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static uint64_t place_of(int signal, const ucontext_t *context) {
    return epitaph_registers_instruction_pointer(context) << 6 | (uint64_t)signal;
}

static uint64_t *slot_of(uint64_t place) {
    return &places[(place * 0x9e3779b97f4a7c15u) >> 56];
}

bool epitaph_place_is_usual(int signal, const siginfo_t *info, const ucontext_t *context) {
    uint64_t place = place_of(signal, context);
    if (info->si_code <= 0) {
        uint32_t count = __atomic_load_n(&sent_survival_counts[signal], __ATOMIC_RELAXED);
        return count >= SENT_SURVIVALS_LIMIT;
    }
    if (__atomic_load_n(&survival_count, __ATOMIC_RELAXED) >= SURVIVALS_LIMIT) return true;
    return __atomic_load_n(slot_of(place), __ATOMIC_RELAXED) == place;
}

static void note_survival(void) {
    if (!held.is_fault) {
        uint32_t *count = &sent_survival_counts[held.signal];
        if (*count < SENT_SURVIVALS_LIMIT) __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
        return;
    }
    uint64_t *slot = slot_of(held.place);
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == held.place) return;
    __atomic_store_n(slot, held.place, __ATOMIC_RELAXED);
    __atomic_fetch_add(&survival_count, 1, __ATOMIC_ACQ_REL);
}

bool epitaph_is_held(void) {
    return is_state(EPITAPH_FILE_HELD) && epitaph_process_is_owner();
}

bool epitaph_armed_file_is_busy(void) {
    return !is_state(EPITAPH_FILE_CLOSED) && epitaph_process_is_owner();
}

static bool is_held_here(void) {
    return epitaph_is_held() && held.thread_pointer == epitaph_registers_thread_pointer();
}

/// A thread of a raw clone(2) may share the thread pointer, and the kernel gives it no alternate
/// stack: Swift's backtracer has such a thread, which meets faults while the handler of SIGABRT
/// waits for it.
static bool is_held_by(const ucontext_t *context) {
    return is_held_here() && held.signal_stack == context->uc_stack.ss_sp;
}

epitaph_hold_kind epitaph_held_here(void) {
    return is_held_here() ? held.kind : EPITAPH_HOLDS_NOTHING;
}

void epitaph_hold(epitaph_hold_kind kind, int signal, const siginfo_t *info,
                  const ucontext_t *context) {
    epitaph_dump_file *file = armed_file();
    held.number = 0;
    held.thread_pointer = epitaph_registers_thread_pointer();
    held.signal_stack = context->uc_stack.ss_sp;
    held.place = place_of(signal, context);
    held.signal = signal;
    held.is_fault = info->si_code > 0;
    held.is_abort = signal == SIGABRT && info->si_code == SI_TKILL;
    held.is_without_effect = epitaph_signal_next_action(signal).handler == (void *)SIG_DFL &&
                             epitaph_signal_is_ignored_by_init(signal, info);
    held.kind = kind;
    held.stored_end =
        kind == EPITAPH_HOLDS_RECORD ? epitaph_first_record_end(file) : file->head_bytes;
    __atomic_store_n(&file->state, EPITAPH_FILE_HELD, __ATOMIC_RELEASE);
}

bool epitaph_capture_hold(epitaph_capture *capture) {
    epitaph_dump_file *file = armed_file();
    if (!capture->may_survive || !is_state(EPITAPH_FILE_CLOSED)) return false;
    epitaph_bytes_copy(file, &capture->file, offsetof(epitaph_dump_file, state));
    epitaph_bytes_copy(&file->directory, &capture->file.directory,
                       sizeof *file - offsetof(epitaph_dump_file, directory));
    capture->file.head = NULL;
    capture->file.file.fd = -1;
    epitaph_hold(capture->writer.has_written ? EPITAPH_HOLDS_SECTIONS : EPITAPH_HOLDS_HEAD,
                 capture->signal, capture->info, capture->context);
    epitaph_reserve_descriptors();
    // The capture has consumed the file's contents.
    epitaph_filters_watch();
    return true;
}

/// Whether what is held is on its way to a handler, or has none that it could come to.
static bool may_be_over(void) {
    return held.number != 0 || held.is_without_effect;
}

static bool is_over(epitaph_delivery_progress progress) {
    return progress == EPITAPH_DELIVERY_IS_LEFT || progress == EPITAPH_DELIVERY_HAS_RETURNED;
}

/// Of the calling thread, interrupted at `context`.
static epitaph_delivery_progress progress_here(const ucontext_t *context) {
    return epitaph_delivery_progress_here(held.number, epitaph_registers_stack_pointer(context),
                                          epitaph_signal_blocked(context));
}

void epitaph_held_is_delivered(uint64_t number, const ucontext_t *context) {
    if (!is_held_by(context)) return;
    epitaph_delivery_progress progress = progress_here(context);
    // A signal at the same place has taken over the note.
    bool is_gone = progress == EPITAPH_DELIVERY_IS_FORGOTTEN;
    if (held.number == 0 || is_gone || is_over(progress)) held.number = number;
}

/// Sections and head are emptied by one thread at a time, which no capture disturbs.
static bool claim(void) {
    epitaph_deadline deadline = epitaph_deadline_after(other_capture_timeout_ns);
    for (;;) {
        epitaph_owner_claim_result result = epitaph_owner_try_claim();
        if (result != EPITAPH_OWNER_IS_OTHER) return result == EPITAPH_OWNER_IS_NEW;
        if (epitaph_deadline_left(&deadline) == 0) return false;
        epitaph_deadline_pause(&deadline, other_capture_pause_ns);
    }
}

/// Empties the file and arms it again. If its sections cannot be removed it stays a crash.
static bool drop(void) {
    epitaph_dump_file *file = armed_file();
    if (!claim()) return false;
    bool is_dropped = false;
    if (change_state(EPITAPH_FILE_HELD, EPITAPH_FILE_TAKEN)) {
        is_dropped = held.kind != EPITAPH_HOLDS_SECTIONS || epitaph_dump_file_empty(file);
        if (is_dropped) {
            note_survival();
            epitaph_head_clear_to(file, held.stored_end);
        }
        __atomic_store_n(&file->state, is_dropped ? EPITAPH_FILE_ARMED : EPITAPH_FILE_HELD,
                         __ATOMIC_RELEASE);
    }
    epitaph_owner_release();
    return is_dropped;
}

/// Whether the process goes on after the handler's return, as far as its next action tells.
static bool is_repaired(void) {
    epitaph_kernel_sigaction present;
    if (held.is_abort || epitaph_delivery_repeats(held.number) >= REPEATS_LIMIT) return false;
    if (epitaph_sys_sigaction(held.signal, NULL, &present) < 0) return false;
    const void *handler = present.handler;
    if (epitaph_delivery_is_ours(handler))
        handler = epitaph_signal_next_action(held.signal).handler;
    return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN;
}

/// A record is emptied by stores, for which the state of the file is enough.
static bool drop_record(void) {
    if (held.kind != EPITAPH_HOLDS_RECORD || !change_state(EPITAPH_FILE_HELD, EPITAPH_FILE_TAKEN))
        return false;
    // Another thread may have armed the file, and one more held it, since we looked.
    bool is_own = held.kind == EPITAPH_HOLDS_RECORD &&
                  held.thread_pointer == epitaph_registers_thread_pointer();
    if (is_own) {
        note_survival();
        epitaph_head_clear_to(armed_file(), held.stored_end);
    }
    __atomic_store_n(&armed_file()->state, is_own ? EPITAPH_FILE_ARMED : EPITAPH_FILE_HELD,
                     __ATOMIC_RELEASE);
    return is_own;
}

void epitaph_held_note_return(uint64_t number) {
    if (!is_held_here() || held.number != number || !is_repaired()) return;
    if (!drop_record()) drop();
}

bool epitaph_held_is_repeating(uint64_t number) {
    return epitaph_delivery_repeats(number) == REPEATS_LIMIT - 1;
}

bool epitaph_held_take_back(const ucontext_t *context) {
    if (!is_held_by(context) || held.number == 0 || held.kind == EPITAPH_HOLDS_SECTIONS)
        return false;
    if (!is_over(progress_here(context)) || !change_state(EPITAPH_FILE_HELD, EPITAPH_FILE_TAKEN))
        return false;
    note_survival();
    epitaph_head_clear_to(armed_file(), held.stored_end);
    return true;
}

/// Of another thread. If the mask does not tell, its stack pointer does once it waits in the
/// kernel: it is looked for that often.
static epitaph_delivery_progress progress_elsewhere(int looks) {
    uint64_t number = held.number;
    epitaph_delivery_progress progress = epitaph_delivery_progress_elsewhere(number);
    if (progress != EPITAPH_DELIVERY_IS_INSIDE) return progress;
    int32_t tid = epitaph_delivery_thread_without_mask(number);
    epitaph_deadline deadline = epitaph_deadline_after((uint64_t)looks * look_pause_ns);
    uint64_t stack_pointer;
    while (tid != 0 && !epitaph_kernel_stack_pointer_read(tid, &stack_pointer)) {
        if (epitaph_deadline_left(&deadline) == 0) return progress;
        epitaph_deadline_pause(&deadline, look_pause_ns);
        // It may have ended.
        progress = epitaph_delivery_progress_elsewhere(number);
        if (progress != EPITAPH_DELIVERY_IS_INSIDE) return progress;
    }
    if (tid == 0) return progress;
    return epitaph_delivery_progress_here(number, stack_pointer, EPITAPH_ALL_SIGNALS);
}

bool epitaph_held_settle(const ucontext_t *context) {
    if (!epitaph_is_held() || !may_be_over()) return false;
    if (held.is_without_effect) return drop();
    bool is_over_now =
        is_held_by(context) ? is_over(progress_here(context)) : is_over(progress_elsewhere(0));
    return is_over_now && drop();
}

/// The same outside of our handler.
static void settle_at(uint64_t stack_pointer, bool is_ending) {
    uint64_t blocked = 0;
    epitaph_delivery_progress progress;
    if (held.is_without_effect) {
        if (is_ending || is_held_here()) drop();
        return;
    }
    if (is_held_here()) {
        epitaph_sys_sigprocmask(SIG_BLOCK, NULL, &blocked);
        progress = epitaph_delivery_progress_here(held.number, stack_pointer, blocked);
    } else {
        progress = progress_elsewhere(is_ending ? LOOKS_LIMIT : 0);
    }
    if (is_over(progress)) drop();
}

static bool may_settle(void) {
    if (!epitaph_is_held() || !may_be_over() || !epitaph_filters_are_old()) return false;
    // A child of vfork(2), which has this memory and none of these threads.
    return armed_file()->owner_pid == epitaph_sys_getpid();
}

void epitaph_held_settle_here(void) {
    if (!is_held_here() || !may_settle()) return;
    uint64_t stack_pointer = (uint64_t)__builtin_frame_address(0);
    if (held.is_without_effect) {
        drop();
        return;
    }
    // A handler may have unblocked its signal: the mask is no sign.
    if (is_over(epitaph_delivery_progress_here(held.number, stack_pointer, EPITAPH_ALL_SIGNALS)))
        drop();
}

void epitaph_held_settle_quietly(bool is_ending) {
    if (!may_settle()) return;
    settle_at((uint64_t)__builtin_frame_address(0), is_ending);
    // Another thread's fault in a place where it is usually repaired does not end the process.
    if (is_ending && !is_held_here()) epitaph_held_give_way();
}

void epitaph_held_give_way(void) {
    if (epitaph_is_held() && held.kind == EPITAPH_HOLDS_RECORD) drop();
}

bool epitaph_held_is_abort(int signal) {
    if (signal != SIGABRT || !epitaph_is_held()) return false;
    return held.is_abort && held.kind != EPITAPH_HOLDS_RECORD;
}

bool epitaph_held_is_without_effect(void) {
    return is_held_here() && held.is_without_effect;
}

bool epitaph_held_take(void) {
    return is_held_here() && change_state(EPITAPH_FILE_HELD, EPITAPH_FILE_TAKEN);
}

void epitaph_held_seal(void) {
    epitaph_dump_file *file = armed_file();
    if (!epitaph_held_take()) return;
    // As epitaph_capture_file_seal.
    uint8_t *head = file->head;
    file->head = NULL;
    epitaph_dump_file_seal(file);
    file->head = head;
}
