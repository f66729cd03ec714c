// SPDX-License-Identifier: Apache-2.0
//
// ATTACHMENTS: names of files, which are not opened before the dump becomes a report.

#include "sections/sections.h"

enum { ATTEMPT_LIMIT = 1000 };

_Static_assert(sizeof(epitaph_attachment) <= EPITAPH_SCRATCH_SIZE, "a copy fits into the scratch");

/// Copies an attachment consistently; false if it is free. `is_torn`: it changed during every copy.
static bool copy_whole(const epitaph_attachment *attachment, epitaph_attachment *copy,
                       bool *is_torn) {
    *is_torn = false;
    for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
        uint32_t changes = __atomic_load_n(&attachment->changes, __ATOMIC_ACQUIRE);
        if (changes % 2 == 0) return false;
        epitaph_bytes_copy(copy, attachment, sizeof *copy);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&attachment->changes, __ATOMIC_RELAXED) == changes) return true;
    }
    *is_torn = true;
    return false;
}

void epitaph_attachments_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_attachment *attachments =
        __atomic_load_n(&epitaph_capture_settings_now.attachments, __ATOMIC_ACQUIRE);
    if (attachments == NULL) return;
    epitaph_attachment *copy = (epitaph_attachment *)capture->scratch;
    epitaph_writer_array_start(writer, EPITAPH_KEY_ATTACHMENTS);
    uint32_t used =
        __atomic_load_n(&epitaph_capture_settings_now.attachments_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < EPITAPH_ATTACHMENT_LIMIT; i++) {
        bool is_torn;
        bool is_set = copy_whole(&attachments[i], copy, &is_torn);
        if (is_torn) {
            epitaph_damage_add(capture, EPITAPH_KEY_ATTACHMENTS, EPITAPH_WHY_OUT_OF_TIME, 0, 0);
        }
        if (!is_set) continue;
        epitaph_writer_map_start(writer, EPITAPH_KEY_ATTACHMENTS);
        epitaph_writer_text(writer, EPITAPH_KEY_ATTACHMENT_NAME, copy->name,
                            EPITAPH_ATTACHMENT_NAME_SIZE);
        epitaph_writer_text(writer, EPITAPH_KEY_ATTACHMENT_PATH, copy->path,
                            EPITAPH_ATTACHMENT_PATH_SIZE);
        epitaph_writer_end(writer);
    }
    epitaph_writer_end(writer);
}
