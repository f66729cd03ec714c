// SPDX-License-Identifier: Apache-2.0
//
// The file of a capture: the armed one; a new one in a forked child or if the armed file was
// removed; only the head if no file can be reached.

#include "handler/handler.h"

#include "epitaph_file.h"
#include "file/armed_file.h"

#include <time.h>

/// Moves descriptor and head of the armed file from the settings to the capture.
static void move_armed_file(epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    epitaph_bytes_copy(&capture->file, armed, sizeof *armed);
    epitaph_bytes_copy(&epitaph_capture_settings_now.taken_file, &armed->file, sizeof armed->file);
    armed->file.fd = -1;
    armed->head = NULL;
    __atomic_store_n(&armed->state, EPITAPH_FILE_CLOSED, __ATOMIC_RELEASE);
}

/// Whether the armed file belongs to this process and this crash. A child of vfork(2) shares the
/// memory that says so; what it has stored is removed.
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
    // Another thread had or was marking it when this crash came.
    epitaph_first_record_store(armed, capture->signal, capture->info, capture->context);
    return true;
}

void epitaph_capture_file_begin(epitaph_capture *capture, bool is_storing) {
    epitaph_dump_file *file = &capture->file;
    bool has_head = file->head != NULL;
    epitaph_writer_begin(&capture->writer, file,
                         has_head ? file->head_bytes : file->launch_record_bytes);
    if (has_head) {
        uint64_t store_offset = capture->store_offset;
        epitaph_writer_allow_stores(&capture->writer, store_offset, is_storing);
    }
}

/// The file is still ours where somebody has truncated it: what identifies it is written again.
static bool begin_emptied_file(epitaph_capture *capture) {
    epitaph_head_unmap(&capture->file);
    capture->store_offset = 0;
    if (epitaph_dump_file_begin_again(&capture->file) < 0) return false;
    epitaph_capture_file_begin(capture, false);
    return true;
}

/// For a process that gave up its rights, or whose parent did.
static bool inherit_file(epitaph_dump_file *file) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint32_t count = __atomic_load_n(&settings->spare_file_count, __ATOMIC_ACQUIRE);
    if (epitaph_dump_file_inherit(file, &settings->dump_file) == 0) return true;
    for (uint32_t i = 0; i < count; i++) {
        if (epitaph_dump_file_inherit(file, &settings->spare_files[i]) == 0) return true;
    }
    return false;
}

bool epitaph_capture_file_open(epitaph_capture *capture) {
    epitaph_dump_file *armed = &epitaph_capture_settings_now.dump_file;
    bool is_armed = has_armed_file(capture);
    capture->store_offset = is_armed ? epitaph_first_record_end(armed) : 0;
    if (is_armed) move_armed_file(capture);
    if (is_armed && !epitaph_dump_file_is_unlinked(&capture->file)) {
        if (epitaph_dump_file_is_emptied(&capture->file)) return begin_emptied_file(capture);
        epitaph_first_record_complete(capture->pid, capture->tid,
                                      epitaph_sys_clock_ns(CLOCK_REALTIME));
        epitaph_capture_file_begin(capture, false);
        return true;
    }
    bool may_survive = capture->may_survive;
    capture->may_survive = false;
    epitaph_dump_file unreachable;
    epitaph_bytes_copy(&unreachable, &capture->file, sizeof unreachable);
    if (!epitaph_pending_has_room()) {
        epitaph_pending_note_dropped();
        return false;
    }
    if (epitaph_dump_file_create_headless(&capture->file) == 0) {
        if (is_armed) epitaph_dump_file_close(&unreachable);
        epitaph_capture_file_begin(capture, false);
        return true;
    }
    if (!is_armed && inherit_file(&capture->file)) {
        epitaph_capture_file_begin(capture, false);
        return true;
    }
    if (!is_armed || unreachable.head == NULL) return false;
    epitaph_bytes_copy(&capture->file, &unreachable, sizeof unreachable);
    capture->may_survive = may_survive;
    epitaph_capture_file_begin(capture, true);
    return true;
}

bool epitaph_capture_file_seal(epitaph_capture *capture) {
    uint8_t *head = capture->file.head;
    capture->file.head = NULL;
    bool is_sealed = epitaph_dump_file_seal(&capture->file) == 0;
    capture->file.head = head;
    return is_sealed;
}

// A capture writes launch records, too, with the same writer.
void epitaph_spare_files_make(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (!epitaph_owner_claim(0)) return;
    for (uint32_t i = settings->spare_file_count; i < EPITAPH_SPARE_FILE_COUNT; i++) {
        if (epitaph_dump_file_create_spare(&settings->spare_files[i]) < 0) break;
        __atomic_store_n(&settings->spare_file_count, i + 1, __ATOMIC_RELEASE);
    }
    epitaph_owner_release();
}

bool epitaph_capture_may_inherit(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    return settings->dump_file.file.fd >= 0 ||
           __atomic_load_n(&settings->spare_file_count, __ATOMIC_ACQUIRE) != 0;
}

bool epitaph_capture_arm_child(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_dump_file *file = &settings->dump_file;
    epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    if (page == NULL || !settings->is_started || epitaph_process_is_owner()) return false;
    if (!epitaph_pending_has_room_for_child()) return false;
    epitaph_dump_file parents;
    epitaph_bytes_copy(&parents, file, sizeof parents);
    bool was_handed_out = settings->is_handed_out;
    settings->is_handed_out = true;
    settings->has_crashed_before = false;
    if (epitaph_dump_file_arm() < 0) {
        // A child without rights may have inherited it.
        epitaph_bytes_copy(file, &parents, sizeof parents);
        settings->is_handed_out = was_handed_out;
        return false;
    }
    __atomic_store_n(&page->owner_mark, 1, __ATOMIC_RELEASE);
    epitaph_filters_watch();
    return true;
}

void epitaph_capture_rearm(void) {
    epitaph_head_unmap(&epitaph_capture_now()->file);
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    // Still armed if this crash had been captured before.
    if (__atomic_load_n(&settings->dump_file.state, __ATOMIC_ACQUIRE) != EPITAPH_FILE_CLOSED)
        return;
    if (!settings->is_started || !epitaph_process_is_owner()) return;
    if (settings->dump_file.owner_pid != epitaph_sys_getpid()) return;
    settings->has_crashed_before = true;
    epitaph_bytes_copy(settings->crash_uuid, epitaph_capture_now()->file.uuid,
                       sizeof settings->crash_uuid);
    if (epitaph_pending_has_room()) epitaph_dump_file_arm();
    epitaph_reserve_descriptors();
    // The crash has consumed the file's contents.
    epitaph_filters_watch();
}
