// SPDX-License-Identifier: Apache-2.0
//
// One capture: of a crash, of a crash without system calls, or of a running process.

#include "handler/handler.h"

#include "epitaph_file.h"
#include "epitaph_signals.h"
#include "modules/modules.h"
#include "privacy/privacy.h"
#include "regions/regions.h"
#include "stacks/stacks.h"
#include "threads/threads.h"

#include <errno.h>
#include <time.h>

/// The crash handler must get the capture's faults even if the program blocks them. What it does
/// not get stays blocked: one that is pending would run the program's handler in the middle of
/// ours, or end the process with another signal. Returns the mask in force.
static uint64_t unblock_faults(void) {
    uint64_t blocked = 0;
    uint64_t unblocked = 0;
    uint64_t handler;
    epitaph_sys_sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (!epitaph_signals_have(blocked & epitaph_fault_signals(), signal)) continue;
        if (!epitaph_signal_is_displaced(signal, &handler)) unblocked |= epitaph_signal_bit(signal);
    }
    if (unblocked != 0) epitaph_sys_sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
    return blocked & ~unblocked;
}

static void begin(epitaph_capture *capture) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_limits_load();
    capture->file.file.fd = -1;
    capture->pid = epitaph_sys_getpid();
    capture->tid = epitaph_sys_gettid();
    capture->started_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    capture->pause_ns = 0;
    capture->stacks->bytes_left = settings->limits.all_stacks_bytes;
    capture->damage_count = 0;
    capture->modules->count = 0;
    capture->can_break_off = false;
    capture->is_out_of_time = false;
    capture->is_silent = false;
    capture->threads_stand_still = false;
    capture->break_count = 0;
    capture->watchdog = -1;
    capture->signal_mask = unblock_faults();
    epitaph_regions_begin(capture);
    epitaph_async_chains_forget(capture);
    epitaph_private_texts_begin(capture);
    epitaph_memory_begin(&capture->mappings);
}

void epitaph_capture_run(epitaph_capture *capture) {
    begin(capture);
    if (capture->is_restarted) {
        epitaph_damage_add(capture, EPITAPH_KEY_SIGNAL_EXCEPTION, EPITAPH_WHY_SECOND_FAULT, 0,
                           capture->broken_subject);
    }
    epitaph_release_descriptors();
    epitaph_resource_limits_lift();
    capture->writer.has_met_size_limit = false;
    bool has_dump = false;
    bool is_sealed = false;
    if (epitaph_capture_file_open(capture)) {
        epitaph_crash_sections_write(capture);
        epitaph_watchdog_stop(capture);
        has_dump = true;
        is_sealed = !capture->may_survive && epitaph_capture_file_seal(capture);
        // The tracer must not outlive the capture, after which the process may die.
        epitaph_threads_untrace(capture);
    }
    epitaph_last_lines_write(capture, has_dump, is_sealed);
    epitaph_resource_limits_restore(capture->writer.has_met_size_limit);
    epitaph_memory_end();
}

/// Limits for what fits into the head.
static void narrow_limits(epitaph_capture_limits *limits) {
    const uint64_t stack_bytes = 16 << 10;
    const uint64_t memory_bytes = 8 << 10;
    if (limits->crashing_stack_bytes > stack_bytes) limits->crashing_stack_bytes = stack_bytes;
    if (limits->crashing_memory_bytes > memory_bytes) limits->crashing_memory_bytes = memory_bytes;
    if (limits->registered_memory_bytes > memory_bytes)
        limits->registered_memory_bytes = memory_bytes;
}

void epitaph_capture_run_silently(epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    if (armed->head == NULL) return;
    begin(capture);
    narrow_limits(&epitaph_capture_settings_now.limits);
    capture->is_silent = true;
    capture->pid = armed->owner_pid;
    capture->tid = 0;
    epitaph_memory_begin_loading(&capture->mappings);
    epitaph_thread_slots_begin(capture->threads);
    epitaph_mappings_forget(&capture->mappings, ENOSYS);
    epitaph_registered_memory_collect(capture);
    epitaph_damage_add(capture, EPITAPH_KEY_THREADS, EPITAPH_WHY_FILTERED, 0, 0);
    epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_FILTERED, 0, 0);
    epitaph_bytes_copy(&capture->file, armed, sizeof *armed);
    capture->store_offset = epitaph_first_record_end(armed);
    epitaph_capture_file_begin(capture, true);
    epitaph_silent_sections_write(capture);
}

void epitaph_capture_run_live(epitaph_capture *capture) {
    begin(capture);
    epitaph_bytes_copy(&capture->file, capture->live_file, sizeof capture->file);
    epitaph_capture_file_begin(capture, false);
    epitaph_live_sections_write(capture);
    epitaph_watchdog_stop(capture);
    epitaph_bytes_copy(capture->live_file, &capture->file, sizeof capture->file);
    epitaph_memory_end();
}
