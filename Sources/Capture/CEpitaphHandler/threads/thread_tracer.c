// SPDX-License-Identifier: Apache-2.0
//
// A process that shares the memory of the one it traces. It ends on release, with its parent, or at
// its deadline; the kernel then releases held threads.

#include "threads/threads.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <linux/wait.h>
#include <sys/prctl.h>

static const uint64_t poll_pause_ns = 1000000;
static const uint64_t hold_pause_ns = 100ull * 1000000;
/// As long as the wait of threads stopped by the signal.
static const uint64_t hold_timeout_ns = 20ull * 1000000000;

static bool is_phase(const epitaph_tracer *tracer, epitaph_tracer_phase phase) {
    return __atomic_load_n(&tracer->phase, __ATOMIC_ACQUIRE) == (uint32_t)phase;
}

static void pause_in_phase(const epitaph_tracer *tracer, epitaph_tracer_phase phase,
                           epitaph_deadline *deadline, uint64_t pause_ns) {
    epitaph_deadline_wait(deadline, &tracer->phase, (uint32_t)phase, pause_ns);
}

static bool has_parent(const epitaph_tracer *tracer) {
    return epitaph_sys_getppid() == tracer->parent_pid;
}

static void attach(epitaph_traced_thread *thread) {
    int32_t tid = thread->slot->tid;
    long result = epitaph_sys_ptrace(PTRACE_SEIZE, tid, 0, 0);
    if (result == 0) result = epitaph_sys_ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    if (result == 0) {
        thread->state = EPITAPH_TRACE_STOPPING;
    } else {
        thread->slot->trace_error = (int32_t)-result;
    }
}

static void let_go(epitaph_traced_thread *thread) {
    epitaph_sys_ptrace(PTRACE_DETACH, thread->slot->tid, 0, (uint64_t)thread->pending_signal);
    thread->state = EPITAPH_TRACE_FAILED;
}

/// Fills in the slot of a stopped thread. If the thread is about to do so itself, lets it go.
static void answer(epitaph_tracer *tracer, epitaph_traced_thread *thread) {
    epitaph_thread_slot *slot = thread->slot;
    uint64_t thread_data_address;
    long result =
        epitaph_traced_registers_read(slot->tid, &thread->registers, &thread_data_address);
    if (result < 0) {
        slot->trace_error = (int32_t)-result;
        let_go(thread);
        return;
    }
    if (!epitaph_thread_slot_claim(slot)) {
        let_go(thread);
        return;
    }
    // The kernel does not tell a tracer of it.
    thread->registers.context.uc_stack.ss_sp = (void *)slot->alternate_start;
    thread->registers.context.uc_stack.ss_size = slot->alternate_bytes;
    const epitaph_thread_slot *description = &thread->description;
    slot->context = &thread->registers.context;
    slot->thread_data_address = thread_data_address;
    slot->policy = description->policy;
    slot->priority = description->priority;
    slot->nice = description->nice;
    for (int i = 0; i < EPITAPH_THREAD_NAME_SIZE; i++) {
        slot->name[i] = description->name[i];
        __asm__ volatile("" : : : "memory");
    }
    slot->has_signal_pending = true;
    epitaph_thread_slot_settle(tracer->slots, slot, EPITAPH_THREAD_STOPPED);
}

/// Whether a thread has still not stopped: ptrace(2), "Stopped states".
static bool look_after(epitaph_tracer *tracer, epitaph_traced_thread *thread) {
    if (thread->state != EPITAPH_TRACE_STOPPING) return false;
    int status = 0;
    long result = epitaph_sys_wait4(thread->slot->tid, &status, __WALL | WNOHANG);
    if (result == 0) return true;
    bool has_stopped = result > 0 && (status & 0xff) == 0x7f;
    if (!has_stopped) {
        thread->state = EPITAPH_TRACE_FAILED;
        thread->slot->trace_error = result < 0 ? (int32_t)-result : ESRCH;
        return false;
    }
    bool is_event = status >> 16 != 0;
    // Not a ptrace event: the thread was about to receive a signal.
    thread->pending_signal = is_event ? 0 : (status >> 8) & 0xff;
    thread->state = EPITAPH_TRACE_STOPPED;
    epitaph_traced_call_go_on(thread->slot->tid);
    answer(tracer, thread);
    return false;
}

static void stop_threads(epitaph_tracer *tracer) {
    uint64_t timeout_ms = epitaph_capture_settings_now.limits.stop_timeout_ms;
    epitaph_deadline deadline = epitaph_deadline_after(epitaph_milliseconds(timeout_ms));
    deadline.end_ns = tracer->stop_deadline_ns;
    for (uint32_t i = 0; i < tracer->count; i++)
        attach(&tracer->threads[i]);
    for (;;) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < tracer->count; i++) {
            if (look_after(tracer, &tracer->threads[i])) left++;
        }
        bool is_over = left == 0 || epitaph_deadline_left(&deadline) == 0;
        if (is_over || !is_phase(tracer, EPITAPH_TRACER_ALLOWED)) return;
        pause_in_phase(tracer, EPITAPH_TRACER_ALLOWED, &deadline, poll_pause_ns);
    }
}

int epitaph_tracer_run(void *argument) {
    epitaph_tracer *tracer = argument;
    epitaph_deadline deadline = epitaph_deadline_after(hold_timeout_ns);
    epitaph_sys_prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (is_phase(tracer, EPITAPH_TRACER_PREPARING) && has_parent(tracer) &&
           epitaph_deadline_left(&deadline) > 0) {
        pause_in_phase(tracer, EPITAPH_TRACER_PREPARING, &deadline, hold_pause_ns);
    }
    if (is_phase(tracer, EPITAPH_TRACER_ALLOWED)) stop_threads(tracer);
    while (is_phase(tracer, EPITAPH_TRACER_ALLOWED) && has_parent(tracer) &&
           epitaph_deadline_left(&deadline) > 0) {
        pause_in_phase(tracer, EPITAPH_TRACER_ALLOWED, &deadline, hold_pause_ns);
    }
    for (uint32_t i = 0; i < tracer->count; i++) {
        if (tracer->threads[i].state == EPITAPH_TRACE_STOPPED) let_go(&tracer->threads[i]);
    }
    return 0;
}
