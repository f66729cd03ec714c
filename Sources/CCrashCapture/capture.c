// SPDX-License-Identifier: Apache-2.0
//
// One capture from its first to its last section, the most valuable first: cut anywhere, what is
// there is of use.

#include "capture.h"

#include "bytes.h"
#include "memory.h"
#include "sys.h"
#include "thread_stop.h"

#include <time.h>

epitaph_capture_settings epitaph_capture_settings_now = {
    .directory_fd = -1, .reserved_fds = {-1, -1, -1, -1}, .dump_file = {.fd = -1}};
_Static_assert(EPITAPH_RESERVED_FD_COUNT == 4, "the initialiser above names them all");
epitaph_capture *epitaph_capture_now;

size_t epitaph_capture_workspace_size(void) {
    return sizeof(epitaph_capture);
}

void epitaph_capture_workspace_set(void *workspace) {
    epitaph_capture_now = workspace;
}

static void begin(epitaph_capture *capture) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_limits_take();
    capture->file.fd = -1;
    capture->pid = epitaph_sys_getpid();
    capture->tid = epitaph_sys_gettid();
    capture->started_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    capture->stack_bytes_left = settings->limits.all_stacks_bytes;
    capture->damage_count = 0;
    epitaph_bytes_zero(capture->seen_pointers, sizeof capture->seen_pointers);
    // A process with a full descriptor table can open files again.
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        if (settings->reserved_fds[i] >= 0) epitaph_sys_close(settings->reserved_fds[i]);
    }
    epitaph_memory_begin();
}

void epitaph_reserve_descriptors(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        long fd = epitaph_sys_dup(settings->directory_fd);
        settings->reserved_fds[i] = fd < 0 ? -1 : (int)fd;
    }
}

/// The armed file, or, in a child that was forked after it was armed, one of the child's own.
static bool open_file(epitaph_capture *capture) {
    const epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    if (armed->fd >= 0 && armed->owner_pid == capture->pid) {
        epitaph_bytes_copy(&capture->file, armed, sizeof *armed);
        epitaph_capture_settings_now.dump_file.fd = -1;
    } else if (epitaph_dump_file_create(&capture->file) < 0) {
        return false;
    }
    epitaph_writer_begin(&capture->writer, capture->file.fd, capture->file.launch_record_bytes);
    return true;
}

static void write_sections(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    epitaph_exception_write(capture);
    epitaph_writer_flush(writer);
    // The others are asked to stop as early as can be and waited for as late: meanwhile this thread
    // writes.
    epitaph_threads_stop(capture);
    epitaph_process_info_write(capture);
    epitaph_system_info_write(capture);
    epitaph_mappings_read(&capture->mappings);
    if (capture->mappings.error != 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_NOT_AVAILABLE,
                           capture->mappings.error, 0);
    }
    epitaph_crashing_thread_write(capture);
    epitaph_writer_flush(writer);
    epitaph_modules_write(capture);
    epitaph_messages_write(capture);
    epitaph_annotations_write(capture);
    epitaph_displaced_handlers_write(capture);
    epitaph_writer_flush(writer);
    epitaph_process_files_write(capture);
    epitaph_writer_flush(writer);
    epitaph_threads_wait(capture);
    epitaph_other_threads_write(capture);
    epitaph_machine_files_write(capture);
}

void epitaph_summary_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_thread_slots *threads = &capture->threads;
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < threads->count; i++) {
        if (threads->entries[i].answer == EPITAPH_THREAD_STOPPED) stopped++;
    }
    epitaph_writer_map_start(writer, EPITAPH_KEY_CAPTURE_SUMMARY);
    epitaph_writer_u64(writer, EPITAPH_KEY_CAPTURE_DURATION,
                       epitaph_sys_clock_ns(CLOCK_MONOTONIC) - capture->started_ns);
    // The crashing thread needs no stopping, and counts.
    epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_FOUND, threads->count + 1);
    epitaph_writer_u32(writer, EPITAPH_KEY_CAPTURE_THREADS_STOPPED, stopped + 1);
    epitaph_writer_end(writer);
}

static void finish(epitaph_capture *capture) {
    epitaph_damage_write(capture);
    epitaph_summary_write(capture);
    epitaph_writer_root_end(&capture->writer);
    epitaph_writer_flush(&capture->writer);
    epitaph_dump_file_seal(&capture->file);
}

void epitaph_capture_run(epitaph_capture *capture) {
    begin(capture);
    if (!open_file(capture)) return;
    write_sections(capture);
    finish(capture);
}

void epitaph_capture_break_off(epitaph_capture *capture, uint64_t address) {
    if (capture->file.fd < 0) return;
    epitaph_writer_end_to(&capture->writer, 0);
    epitaph_damage_add(capture, EPITAPH_KEY_CAPTURE_SUMMARY, EPITAPH_WHY_SECOND_FAULT, 0, address);
    finish(capture);
}

void epitaph_capture_rearm(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    // Still armed when the crash was one that had been captured before.
    if (settings->dump_file.fd >= 0) return;
    if (settings->dump_file.owner_pid != epitaph_sys_getpid()) return;
    if (epitaph_dump_file_create(&settings->dump_file) < 0) settings->dump_file.fd = -1;
    epitaph_reserve_descriptors();
}
