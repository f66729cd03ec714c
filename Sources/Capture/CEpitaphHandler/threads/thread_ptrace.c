// SPDX-License-Identifier: Apache-2.0
//
// Starts and ends the tracer, with deadlines. Refused calls are recorded as damage.

#include "threads/threads.h"

#include <linux/sched.h>
#include <linux/wait.h>
#include <sys/prctl.h>

static const uint64_t end_timeout_ns = 500ull * 1000000;
static const uint64_t end_pause_ns = 1000000;

/// PR_GET_DUMPABLE after giving up privileges: not traceable. 2 stays: prctl(2) cannot restore it.
enum { NOT_DUMPABLE = 0, DUMPABLE = 1 };
static bool was_not_dumpable;

static bool may_have_filter(const epitaph_capture *capture) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (!capture->is_live && settings->filter_count != 0) return true;
    return (capture->is_live || settings->filters_allow_capture) && epitaph_sys_seccomp_mode() != 0;
}

// A tracer in a process that gave up its rights needs PR_SET_DUMPABLE: other processes of its new
// user may trace it then as well. A filter may kill the tracer, and before Linux 5.16 such a death
// with a core ends all who share the memory (fs/coredump.c, zap_threads). For a process that lives
// on, no setting makes up for either.
bool epitaph_threads_may_be_traced(const epitaph_capture *capture) {
    if (capture->is_live && !EPITAPH_TRACED_CALLS_GO_ON) return false;
    if (!capture->is_live && epitaph_capture_settings_now.traces_threads) return true;
    return !may_have_filter(capture) && epitaph_sys_prctl(PR_GET_DUMPABLE, 0) == DUMPABLE;
}

bool epitaph_thread_is_to_be_traced(const epitaph_capture *capture,
                                    const epitaph_thread_slot *slot) {
    return __atomic_load_n(&slot->answer, __ATOMIC_ACQUIRE) == EPITAPH_THREAD_ASKED &&
           (!capture->is_live || slot->only_computes);
}

static void choose_threads(epitaph_capture *capture) {
    epitaph_tracer *tracer = capture->tracer;
    epitaph_thread_slots *slots = capture->threads;
    tracer->count = 0;
    for (uint32_t i = 0; i < slots->count; i++) {
        epitaph_thread_slot *slot = &slots->entries[i];
        if (!epitaph_thread_is_to_be_traced(capture, slot)) continue;
        if (tracer->count == EPITAPH_TRACED_LIMIT) {
            epitaph_damage_add(capture, EPITAPH_KEY_THREAD_STATE, EPITAPH_WHY_TOO_MANY, 0,
                               (uint64_t)slot->tid);
            return;
        }
        epitaph_traced_thread *thread = &tracer->threads[tracer->count++];
        epitaph_bytes_zero(&thread->description, sizeof thread->description);
        thread->slot = slot;
        slot->is_traced = true;
        thread->state = EPITAPH_TRACE_FAILED;
        thread->pending_signal = 0;
        thread->description.tid = slot->tid;
        epitaph_kernel_describe(&thread->description);
    }
}

// A process, not a thread: threads of one process cannot trace each other. No exit signal: the
// program's SIGCHLD handler and wait(2) must not notice. Its own working directory: a program that
// is executed while another process shares that gets no rights from its file (fs/exec.c,
// check_unsafe_exec). All signals are blocked from the start, so that a fault ends the tracer at
// once without running a handler of ours.
static long start_process(epitaph_tracer *tracer) {
    const uint64_t all = EPITAPH_ALL_SIGNALS;
    uint64_t previous_mask;
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, &previous_mask);
    long pid =
        epitaph_sys_clone_process(CLONE_VM | CLONE_FILES | CLONE_UNTRACED,
                                  tracer->stack + sizeof tracer->stack, epitaph_tracer_run, tracer);
    // Before the mask is restored: the watchdog must not interrupt in between.
    if (pid > 0) tracer->pid = (int32_t)pid;
    epitaph_sys_sigprocmask(SIG_SETMASK, &previous_mask, NULL);
    return pid;
}

void epitaph_threads_trace(epitaph_capture *capture, uint64_t stop_deadline_ns) {
    epitaph_tracer *tracer = capture->tracer;
    if (tracer->pid != 0 && tracer->parent_pid == capture->pid) return;
    choose_threads(capture);
    if (tracer->count == 0) return;
    tracer->parent_pid = capture->pid;
    tracer->slots = capture->threads;
    tracer->stop_deadline_ns = stop_deadline_ns;
    __atomic_store_n(&tracer->phase, EPITAPH_TRACER_PREPARING, __ATOMIC_RELEASE);
    was_not_dumpable = epitaph_sys_prctl(PR_GET_DUMPABLE, 0) == NOT_DUMPABLE;
    if (was_not_dumpable) epitaph_sys_prctl(PR_SET_DUMPABLE, DUMPABLE);
    long pid = start_process(tracer);
    if (pid < 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_THREAD_STATE, EPITAPH_WHY_SYSTEM_CALL_FAILED,
                           (int32_t)-pid, 0);
        if (was_not_dumpable) epitaph_sys_prctl(PR_SET_DUMPABLE, NOT_DUMPABLE);
        return;
    }
    // For the Yama module. Without Yama the call fails with EINVAL, and no permission is needed. It
    // takes the place of a permission that the program gave, which nothing can ask for: a process
    // that lives on keeps that.
    tracer->is_permitted = !capture->is_live;
    if (tracer->is_permitted) epitaph_sys_prctl(PR_SET_PTRACER, (uint64_t)pid);
    __atomic_store_n(&tracer->phase, EPITAPH_TRACER_ALLOWED, __ATOMIC_RELEASE);
    epitaph_sys_futex_wake(&tracer->phase, 1);
}

static bool reap(int32_t pid) {
    epitaph_deadline deadline = epitaph_deadline_after(end_timeout_ns);
    while (epitaph_sys_wait4(pid, NULL, __WALL | WNOHANG) == 0) {
        if (epitaph_deadline_left(&deadline) == 0) return false;
        epitaph_deadline_pause(&deadline, end_pause_ns);
    }
    return true;
}

void epitaph_threads_untrace(epitaph_capture *capture) {
    epitaph_tracer *tracer = capture->tracer;
    // A child forked during a capture has inherited its parent's tracer ids.
    if (tracer->pid == 0 || tracer->parent_pid != epitaph_sys_getpid()) return;
    __atomic_store_n(&tracer->phase, EPITAPH_TRACER_RELEASED, __ATOMIC_RELEASE);
    epitaph_sys_futex_wake(&tracer->phase, 1);
    if (!reap(tracer->pid)) {
        epitaph_sys_tgkill(tracer->pid, tracer->pid, SIGKILL);
        reap(tracer->pid);
    }
    tracer->pid = 0;
    // Yama identifies a process by its kernel structure and forgets one that ended
    // (security/yama/yama_lsm.c, yama_task_free); a tracer that was not reaped may still be there.
    if (tracer->is_permitted) epitaph_sys_prctl(PR_SET_PTRACER, 0);
    if (was_not_dumpable) epitaph_sys_prctl(PR_SET_DUMPABLE, NOT_DUMPABLE);
}
