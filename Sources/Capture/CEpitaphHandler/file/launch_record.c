// SPDX-License-Identifier: Apache-2.0
//
// Start of every dump file, written on arming: the process it belongs to.

#include "file/armed_file.h"

#include "epitaph_settings.h"
#include "file/writer.h"
#include "system/sys.h"

#include <elf.h>

enum { MAP_END_BYTES = 1 };

#if defined(__x86_64__)
static const uint16_t architecture = EM_X86_64;
#else
static const uint16_t architecture = EM_AARCH64;
#endif

static void write_end_facts(epitaph_writer *writer, const epitaph_dump_file *file) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    const epitaph_process_facts *facts = &settings->facts;
    uint8_t breadcrumbs[16];
    if (epitaph_breadcrumb_file_is_there(breadcrumbs)) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_LAUNCH_BREADCRUMB_FILE, breadcrumbs,
                             sizeof breadcrumbs);
    }
    bool is_child = epitaph_sys_getpid() != facts->pid && !file->is_inherited;
    if (is_child) epitaph_writer_u8(writer, EPITAPH_KEY_LAUNCH_IS_CHILD, 1);
    if (facts->oom_kills[0] != 0) {
        epitaph_writer_text(writer, EPITAPH_KEY_LAUNCH_OOM_KILLS, facts->oom_kills,
                            sizeof facts->oom_kills);
    }
    if (settings->marked_signals != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_LAUNCH_MARKED_SIGNALS, settings->marked_signals);
    }
}

uint64_t epitaph_launch_record_memory_warning_place(const epitaph_dump_file *file) {
    return file->launch_record_bytes - MAP_END_BYTES - 1;
}

void epitaph_launch_record_write(epitaph_writer *writer, const epitaph_dump_file *file) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    const epitaph_process_facts *facts = &settings->facts;
    epitaph_writer_root_start(writer);
    epitaph_writer_u8(writer, EPITAPH_KEY_VERSION, EPITAPH_DUMP_VERSION);
    epitaph_writer_u16(writer, EPITAPH_KEY_ARCHITECTURE, architecture);
    epitaph_writer_map_start(writer, EPITAPH_KEY_LAUNCH_RECORD);
    epitaph_writer_i32(writer, EPITAPH_KEY_LAUNCH_PID, epitaph_sys_getpid());
    epitaph_writer_u64(writer, EPITAPH_KEY_LAUNCH_START_TICKS, facts->start_ticks);
    epitaph_writer_bytes(writer, EPITAPH_KEY_LAUNCH_BOOT_ID, facts->boot_id, sizeof facts->boot_id);
    epitaph_writer_u64(writer, EPITAPH_KEY_LAUNCH_PID_NAMESPACE, facts->pid_namespace);
    epitaph_writer_time(writer, EPITAPH_KEY_LAUNCH_TIME, facts->launch_time_ns);
    epitaph_writer_text(writer, EPITAPH_KEY_LAUNCH_BUNDLE_ID, settings->bundle_id,
                        sizeof settings->bundle_id);
    epitaph_writer_bytes(writer, EPITAPH_KEY_LAUNCH_UUID, file->uuid, sizeof file->uuid);
    epitaph_writer_text(writer, EPITAPH_KEY_LAUNCH_EXECUTABLE, facts->executable_path,
                        sizeof facts->executable_path);
    if (settings->has_crashed_before) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_LAUNCH_AFTER_CRASH, settings->crash_uuid,
                             sizeof settings->crash_uuid);
    }
    if (file->head != NULL) {
        epitaph_writer_u32(writer, EPITAPH_KEY_HEAD_BYTES, file->head_bytes);
    }
    write_end_facts(writer, file);
    // Must be last: epitaph_launch_record_memory_warning_place.
    epitaph_writer_u8(writer, EPITAPH_KEY_LAUNCH_MEMORY_WARNING, settings->has_memory_warning);
    epitaph_writer_end(writer);
}
