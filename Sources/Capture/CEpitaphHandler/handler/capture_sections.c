// SPDX-License-Identifier: Apache-2.0
//
// The sections of a dump in order of value, so that a dump cut anywhere is useful.

#include "handler/handler.h"

#include "modules/modules.h"
#include "privacy/privacy.h"
#include "regions/regions.h"
#include "sections/sections.h"
#include "threads/threads.h"

#include <time.h>

/// The first record did not know variables the program set after the start.
static void collect_private_texts(epitaph_capture *capture) {
    epitaph_private_texts_collect(capture);
    if (capture->private_texts->late.text_bytes > 0 && !capture->is_live) {
        epitaph_first_record_blank(&capture->file, &capture->blanking);
    }
}

static void read_mappings(epitaph_capture *capture) {
    epitaph_mappings_read(&capture->mappings, epitaph_registers_stack_pointer(capture->context));
    if (capture->mappings.error != 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_NOT_AVAILABLE,
                           capture->mappings.error, 0);
    }
    epitaph_registered_memory_collect(capture);
}

static void stop_threads(epitaph_capture *capture) {
    epitaph_threads_stop(capture);
    uint64_t timeout_ms = epitaph_capture_settings_now.limits.capture_timeout_ms;
    epitaph_watchdog_start(capture, epitaph_milliseconds(timeout_ms));
}

/// The capture waits for its subject first, unless that is the capturing thread.
static void wait_for_subject(epitaph_capture *capture) {
    if (epitaph_other_subject(capture) != 0) epitaph_threads_wait(capture);
}

static void wait_for_others(epitaph_capture *capture) {
    if (epitaph_other_subject(capture) == 0) epitaph_threads_wait(capture);
}

static void release_threads(epitaph_capture *capture) {
    // The watchdog uses the signal whose action is restored here.
    epitaph_watchdog_stop(capture);
    epitaph_threads_release(capture);
    capture->pause_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC) - capture->started_ns;
}

static void write_summary(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_thread_slots *threads = capture->threads;
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < threads->count; i++) {
        if (threads->entries[i].answer == EPITAPH_THREAD_STOPPED) stopped++;
    }
    epitaph_writer_map_start(writer, EPITAPH_KEY_CAPTURE_SUMMARY);
    epitaph_writer_u64(writer, EPITAPH_KEY_CAPTURE_DURATION,
                       epitaph_sys_clock_ns(CLOCK_MONOTONIC) - capture->started_ns);
    if (capture->pause_ns != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_CAPTURE_PAUSE, capture->pause_ns);
    }
    // This thread counts as found and stopped. With a single subject nobody counted.
    if (capture->request == NULL || !capture->request->has_one_thread) {
        epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_FOUND, threads->count + 1);
        epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_STOPPED, stopped + 1);
    }
    if (capture->blanking.blanked_bytes != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_CAPTURE_BLANKED_BYTES,
                           capture->blanking.blanked_bytes);
    }
    epitaph_writer_end(writer);
}

/// For a capture that may not read the clock and stops no threads.
static void write_silent_summary(epitaph_capture *capture) {
    if (capture->blanking.blanked_bytes == 0) return;
    epitaph_writer_map_start(&capture->writer, EPITAPH_KEY_CAPTURE_SUMMARY);
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_CAPTURE_BLANKED_BYTES,
                       capture->blanking.blanked_bytes);
    epitaph_writer_end(&capture->writer);
}

static void end_root(epitaph_capture *capture) {
    epitaph_writer_root_end(&capture->writer);
}

enum {
    HELD_ESSENTIAL = EPITAPH_SECTION_HELD_BACK | EPITAPH_SECTION_ESSENTIAL,
    HELD_LAST = EPITAPH_SECTION_HELD_BACK | EPITAPH_SECTION_LAST,
};

// The first write includes the reason, the registers, the executable, the messages and the crashing
// thread's stack, so that the file never has one without the others. Other threads are asked to
// stop as early and awaited as late as possible. What takes microseconds is written together: up to
// the wait, and behind the threads.
static const epitaph_section crash_sections[] = {
    {EPITAPH_KEY_ENVIRONMENT, collect_private_texts, HELD_ESSENTIAL},
    {EPITAPH_KEY_SIGNAL_EXCEPTION, epitaph_exception_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, stop_threads, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_MODULES, epitaph_executable_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_SYSTEM_FILES, read_mappings, HELD_ESSENTIAL},
    {EPITAPH_KEY_MESSAGES, epitaph_messages_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, epitaph_crashing_thread_write, EPITAPH_SECTION_ESSENTIAL},
    {EPITAPH_KEY_MODULES, epitaph_modules_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_process_files_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_PROCESS_INFO, epitaph_process_info_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_SYSTEM_INFO, epitaph_system_info_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_TASK_SCOPE, epitaph_scope_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_HEAP_SAMPLING, epitaph_heap_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_ATTACHMENTS, epitaph_attachments_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_DISPLACED_HANDLERS, epitaph_displaced_handlers_write, 0},
    {EPITAPH_KEY_THREADS, epitaph_threads_wait, 0},
    {EPITAPH_KEY_THREADS, epitaph_other_threads_write, 0},
    {EPITAPH_KEY_MODULE_FILES, epitaph_module_files_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_UNWIND_TABLES, epitaph_unwind_tables_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_MEMORY_REGIONS, epitaph_registered_memory_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_machine_files_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, write_summary, HELD_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

// While threads are stopped, only what their running would change is written.
static const epitaph_section live_sections[] = {
    {EPITAPH_KEY_REPORT_REQUEST, epitaph_report_request_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_SYSTEM_FILES, read_mappings, 0},
    {EPITAPH_KEY_THREADS, stop_threads, 0},
    {EPITAPH_KEY_ENVIRONMENT, collect_private_texts, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, wait_for_subject, 0},
    {EPITAPH_KEY_THREADS, epitaph_subject_thread_write, 0},
    {EPITAPH_KEY_THREADS, wait_for_others, 0},
    {EPITAPH_KEY_THREADS, epitaph_other_threads_write, 0},
    {EPITAPH_KEY_MEMORY_REGIONS, epitaph_registered_memory_write, 0},
    {EPITAPH_KEY_THREADS, release_threads, EPITAPH_SECTION_LAST | EPITAPH_SECTION_UNBREAKABLE},
    {EPITAPH_KEY_MESSAGES, epitaph_messages_write, 0},
    {EPITAPH_KEY_PROCESS_INFO, epitaph_process_info_write, 0},
    {EPITAPH_KEY_SYSTEM_INFO, epitaph_system_info_write, 0},
    {EPITAPH_KEY_MODULES, epitaph_executable_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_MODULES, epitaph_modules_write, 0},
    {EPITAPH_KEY_MODULE_FILES, epitaph_module_files_write, 0},
    {EPITAPH_KEY_UNWIND_TABLES, epitaph_unwind_tables_write, 0},
    {EPITAPH_KEY_TASK_SCOPE, epitaph_scope_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_HEAP_SAMPLING, epitaph_heap_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, 0},
    {EPITAPH_KEY_ATTACHMENTS, epitaph_attachments_write, 0},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, 0},
    {EPITAPH_KEY_DISPLACED_HANDLERS, epitaph_displaced_handlers_write, 0},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_process_files_write, 0},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_machine_files_write, 0},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, write_summary, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

// Without system calls: only from memory, into the head.
static const epitaph_section silent_sections[] = {
    {EPITAPH_KEY_ENVIRONMENT, collect_private_texts, HELD_ESSENTIAL},
    {EPITAPH_KEY_SIGNAL_EXCEPTION, epitaph_exception_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_MODULES, epitaph_executable_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, epitaph_crashing_thread_write, EPITAPH_SECTION_ESSENTIAL},
    {EPITAPH_KEY_MESSAGES, epitaph_messages_write, 0},
    {EPITAPH_KEY_SYSTEM_INFO, epitaph_system_info_write, 0},
    {EPITAPH_KEY_MODULES, epitaph_modules_write, 0},
    {EPITAPH_KEY_TASK_SCOPE, epitaph_scope_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_HEAP_SAMPLING, epitaph_heap_write, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, 0},
    {EPITAPH_KEY_ATTACHMENTS, epitaph_attachments_write, 0},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, 0},
    {EPITAPH_KEY_MEMORY_REGIONS, epitaph_registered_memory_write, 0},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, write_silent_summary, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void epitaph_crash_sections_write(epitaph_capture *capture) {
    epitaph_sections_write(capture, crash_sections, COUNT_OF(crash_sections));
}

void epitaph_live_sections_write(epitaph_capture *capture) {
    epitaph_sections_write(capture, live_sections, COUNT_OF(live_sections));
}

void epitaph_silent_sections_write(epitaph_capture *capture) {
    epitaph_sections_write(capture, silent_sections, COUNT_OF(silent_sections));
}
