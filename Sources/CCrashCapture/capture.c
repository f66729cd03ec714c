// SPDX-License-Identifier: Apache-2.0
//
// One capture from its first to its last section, the most valuable first: cut anywhere, what is
// there is of use.

#include "capture.h"

#include "async_contexts.h"
#include "bytes.h"
#include "filters.h"
#include "first_record.h"
#include "head.h"
#include "last_lines.h"
#include "memory.h"
#include "resource_limits.h"
#include "section.h"
#include "signals.h"
#include "sys.h"
#include "thread_parts.h"
#include "thread_stop.h"
#include "watchdog.h"

#include <errno.h>
#include <time.h>

epitaph_capture_settings epitaph_capture_settings_now = {
    .directory = {.fd = -1},
    .reserved_files = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}},
    .status_file = {.fd = -1},
    .dump_file = {.file = {.fd = -1}, .directory = {.fd = -1}}};
_Static_assert(EPITAPH_RESERVED_FD_COUNT == 4, "the initialiser above names them all");
epitaph_capture *epitaph_capture_now;

size_t epitaph_capture_workspace_size(void) {
    return sizeof(epitaph_capture);
}

/// Makes the kernel give out the pages of `count` bytes now rather than in a crash.
static void touch(volatile uint8_t *bytes, size_t count) {
    enum { PAGE_SIZE_AT_LEAST = 4096 };
    for (size_t i = 0; i < count; i += PAGE_SIZE_AT_LEAST)
        bytes[i] = 0;
}

// What a crash of a small program needs; big ones touch more then.
void epitaph_capture_workspace_set(void *workspace) {
    enum { MAPPINGS_TOUCHED = 256, TEXT_TOUCHED = 16384, SLOTS_TOUCHED = 32 };
    enum { SCRATCH_TOUCHED = 16384 };
    epitaph_capture *capture = workspace;
    epitaph_capture_now = capture;
    touch((volatile uint8_t *)&capture->writer, sizeof capture->writer);
    touch((volatile uint8_t *)capture->mappings.entries,
          MAPPINGS_TOUCHED * sizeof *capture->mappings.entries);
    touch((volatile uint8_t *)capture->mappings.text, TEXT_TOUCHED);
    touch((volatile uint8_t *)capture->threads.entries,
          SLOTS_TOUCHED * sizeof *capture->threads.entries);
    touch(capture->scratch, SCRATCH_TOUCHED);
}

static void begin(epitaph_capture *capture) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_limits_take();
    capture->file.file.fd = -1;
    capture->pid = epitaph_sys_getpid();
    capture->tid = epitaph_sys_gettid();
    capture->started_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    capture->pause_ns = 0;
    capture->stack_bytes_left = settings->limits.all_stacks_bytes;
    capture->damage_count = 0;
    capture->module_count = 0;
    capture->can_break_off = false;
    capture->is_out_of_time = false;
    capture->is_silent = false;
    capture->break_count = 0;
    capture->watchdog = -1;
    // Faults of the capture must reach the crash handler, also where the program blocks them.
    epitaph_sys_sigprocmask(SIG_UNBLOCK, &epitaph_fault_signals, NULL);
    epitaph_sys_sigprocmask(SIG_BLOCK, NULL, &capture->signal_mask);
    epitaph_regions_begin(capture);
    epitaph_async_chains_forget(capture);
    epitaph_memory_begin();
}

/// Takes the armed file over from the settings: its descriptor and its head are the capture's now.
static void move_armed_file(epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    epitaph_bytes_copy(&capture->file, armed, sizeof *armed);
    armed->file.fd = -1;
    armed->head = NULL;
    __atomic_store_n(&armed->state, EPITAPH_FILE_CLOSED, __ATOMIC_RELEASE);
}

/// Whether the armed file is this process's to write, and this crash's. A child of vfork(2) shares
/// the memory that said so: what it has stored is taken back.
static bool has_armed_file(const epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    bool is_own = armed->owner_pid == capture->pid && epitaph_process_is_owner();
    if (capture->has_armed_file && !is_own) {
        epitaph_head_clear(armed);
        __atomic_store_n(&armed->state, EPITAPH_FILE_ARMED, __ATOMIC_RELEASE);
        return false;
    }
    if (capture->has_armed_file) return true;
    if (!is_own || !epitaph_dump_file_take(armed)) return false;
    // It was somebody else's, or being marked, when this crash came.
    epitaph_first_record_store(armed, capture->signal, capture->info, capture->context);
    return true;
}

static void begin_writing(epitaph_capture *capture, bool is_storing) {
    epitaph_dump_file *file = &capture->file;
    bool has_head = file->head != NULL;
    epitaph_writer_begin(&capture->writer, file,
                         has_head ? file->head_bytes : file->launch_record_bytes);
    if (has_head) {
        uint64_t store_offset = capture->store_offset;
        epitaph_writer_allow_stores(&capture->writer, store_offset, is_storing);
    }
}

/// The armed file; or a new one, in a forked child, or when somebody has removed the armed file;
/// or, where no file can be reached any more, the head alone.
static bool open_file(epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    bool is_armed = has_armed_file(capture);
    capture->store_offset = is_armed ? epitaph_first_record_end(armed) : 0;
    if (is_armed) move_armed_file(capture);
    if (is_armed && !epitaph_dump_file_is_unlinked(&capture->file)) {
        epitaph_first_record_complete(capture->pid, capture->tid,
                                      epitaph_sys_clock_ns(CLOCK_REALTIME));
        begin_writing(capture, false);
        return true;
    }
    epitaph_dump_file unreachable;
    epitaph_bytes_copy(&unreachable, &capture->file, sizeof unreachable);
    if (!epitaph_pending_has_room()) {
        epitaph_pending_note_dropped();
        return false;
    }
    if (epitaph_dump_file_create_headless(&capture->file) == 0) {
        if (is_armed) epitaph_dump_file_close(&unreachable);
        begin_writing(capture, false);
        return true;
    }
    // A daemon that gave up its rights, and forked then; its first process has ended.
    if (!is_armed && epitaph_dump_file_inherit(&capture->file, armed) == 0) {
        begin_writing(capture, false);
        return true;
    }
    if (!is_armed || unreachable.head == NULL) return false;
    epitaph_bytes_copy(&capture->file, &unreachable, sizeof unreachable);
    begin_writing(capture, true);
    return true;
}

static void read_mappings(epitaph_capture *capture) {
    epitaph_mappings_read(&capture->mappings);
    if (capture->mappings.error != 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_NOT_AVAILABLE,
                           capture->mappings.error, 0);
    }
    epitaph_registered_memory_collect(capture);
}

static void stop_threads(epitaph_capture *capture) {
    epitaph_threads_stop(capture);
    epitaph_watchdog_start(capture, epitaph_capture_settings_now.limits.capture_timeout_ns);
}

static void release_threads(epitaph_capture *capture) {
    // It comes by the signal that gets its earlier action back.
    epitaph_watchdog_stop(capture);
    epitaph_threads_release(capture);
    capture->pause_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC) - capture->started_ns;
}

static void write_summary(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_thread_slots *threads = &capture->threads;
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
    // The capturing thread needs no stopping, and counts.
    epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_FOUND, threads->count + 1);
    epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_STOPPED, stopped + 1);
    epitaph_writer_end(writer);
}

static void end_root(epitaph_capture *capture) {
    epitaph_writer_root_end(&capture->writer);
}

enum { HELD_ESSENTIAL = EPITAPH_SECTION_HELD_BACK | EPITAPH_SECTION_ESSENTIAL };

// The most valuable first. Nothing is written until the first write can take the reason, the
// registers, the executable, the last words and the crashing thread's stack together, so that there
// is no moment at which the file holds one without the others. The other threads are asked to stop
// as early as can be and waited for as late: meanwhile this thread writes.
static const epitaph_section crash_sections[] = {
    {EPITAPH_KEY_SIGNAL_EXCEPTION, epitaph_exception_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, stop_threads, EPITAPH_SECTION_HELD_BACK},
    {EPITAPH_KEY_MODULES, epitaph_executable_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_SYSTEM_FILES, read_mappings, HELD_ESSENTIAL},
    {EPITAPH_KEY_MESSAGES, epitaph_messages_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, epitaph_crashing_thread_write, EPITAPH_SECTION_ESSENTIAL},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_process_files_write, 0},
    {EPITAPH_KEY_PROCESS_INFO, epitaph_process_info_write, 0},
    {EPITAPH_KEY_SYSTEM_INFO, epitaph_system_info_write, 0},
    {EPITAPH_KEY_MODULES, epitaph_modules_write, 0},
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, 0},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, 0},
    {EPITAPH_KEY_DISPLACED_HANDLERS, epitaph_displaced_handlers_write, 0},
    {EPITAPH_KEY_THREADS, epitaph_threads_wait, 0},
    {EPITAPH_KEY_THREADS, epitaph_other_threads_write, 0},
    {EPITAPH_KEY_MODULE_FILES, epitaph_module_files_write, 0},
    {EPITAPH_KEY_UNWIND_TABLES, epitaph_unwind_tables_write, 0},
    {EPITAPH_KEY_MEMORY_REGIONS, epitaph_registered_memory_write, 0},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_machine_files_write, 0},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, write_summary, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

// While the threads stand still only what changes when they run is written.
static const epitaph_section live_sections[] = {
    {EPITAPH_KEY_SYSTEM_FILES, read_mappings, 0},
    {EPITAPH_KEY_THREADS, stop_threads, 0},
    {EPITAPH_KEY_THREADS, epitaph_crashing_thread_write, 0},
    {EPITAPH_KEY_THREADS, epitaph_threads_wait, 0},
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
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, 0},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, 0},
    {EPITAPH_KEY_DISPLACED_HANDLERS, epitaph_displaced_handlers_write, 0},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_process_files_write, 0},
    {EPITAPH_KEY_SYSTEM_FILES, epitaph_machine_files_write, 0},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, write_summary, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

// Where nothing may be asked of the kernel: from memory alone, into the head.
static const epitaph_section silent_sections[] = {
    {EPITAPH_KEY_SIGNAL_EXCEPTION, epitaph_exception_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_MODULES, epitaph_executable_write, HELD_ESSENTIAL},
    {EPITAPH_KEY_THREADS, epitaph_crashing_thread_write, EPITAPH_SECTION_ESSENTIAL},
    {EPITAPH_KEY_MESSAGES, epitaph_messages_write, 0},
    {EPITAPH_KEY_SYSTEM_INFO, epitaph_system_info_write, 0},
    {EPITAPH_KEY_MODULES, epitaph_modules_write, 0},
    {EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, epitaph_annotations_write, 0},
    {EPITAPH_KEY_BREADCRUMBS, epitaph_breadcrumbs_write, 0},
    {EPITAPH_KEY_MEMORY_REGIONS, epitaph_registered_memory_write, 0},
    {EPITAPH_KEY_DAMAGE, epitaph_damage_write, EPITAPH_SECTION_LAST},
    {EPITAPH_KEY_CAPTURE_SUMMARY, end_root, EPITAPH_SECTION_LAST},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

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
    if (open_file(capture)) {
        epitaph_sections_write(capture, crash_sections, COUNT_OF(crash_sections));
        epitaph_watchdog_stop(capture);
        has_dump = true;
        is_sealed = epitaph_dump_file_seal(&capture->file) == 0;
        // The tracer must not outlive the capture, and the process may die now.
        epitaph_threads_untrace(capture);
    }
    epitaph_last_lines_write(capture, has_dump, is_sealed);
    epitaph_resource_limits_restore(capture->writer.has_met_size_limit);
    epitaph_memory_end();
}

/// What the head has room for.
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
    epitaph_memory_begin_loading();
    epitaph_thread_slots_begin(&capture->threads);
    epitaph_mappings_forget(&capture->mappings, ENOSYS);
    epitaph_registered_memory_collect(capture);
    epitaph_damage_add(capture, EPITAPH_KEY_THREADS, EPITAPH_WHY_FILTERED, 0, 0);
    epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_FILTERED, 0, 0);
    epitaph_bytes_copy(&capture->file, armed, sizeof *armed);
    capture->store_offset = epitaph_first_record_end(armed);
    begin_writing(capture, true);
    epitaph_sections_write(capture, silent_sections, COUNT_OF(silent_sections));
}

void epitaph_capture_run_live(epitaph_capture *capture) {
    begin(capture);
    epitaph_bytes_copy(&capture->file, capture->live_file, sizeof capture->file);
    begin_writing(capture, false);
    epitaph_sections_write(capture, live_sections, COUNT_OF(live_sections));
    epitaph_watchdog_stop(capture);
    epitaph_bytes_copy(capture->live_file, &capture->file, sizeof capture->file);
    epitaph_memory_end();
}

void epitaph_capture_rearm(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    // Still armed when the crash was one that had been captured before.
    if (__atomic_load_n(&settings->dump_file.state, __ATOMIC_ACQUIRE) != EPITAPH_FILE_CLOSED)
        return;
    if (!settings->is_started || !epitaph_process_is_owner()) return;
    if (settings->dump_file.owner_pid != epitaph_sys_getpid()) return;
    settings->has_crashed_before = true;
    epitaph_bytes_copy(settings->crash_uuid, epitaph_capture_now->file.uuid,
                       sizeof settings->crash_uuid);
    if (epitaph_pending_has_room()) epitaph_dump_file_arm();
    epitaph_reserve_descriptors();
    // What was read for this crash cannot be read again.
    epitaph_filters_watch();
}
