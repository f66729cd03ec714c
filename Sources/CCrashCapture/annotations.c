// SPDX-License-Identifier: Apache-2.0
//
// The ANNOTATIONS_SIMPLE_MAP section.

#include "capture.h"

void epitaph_annotations_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_annotation *annotations = epitaph_capture_settings_now.annotations;
    if (annotations == NULL) return;
    epitaph_writer_array_start(writer, EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP);
    // Each is on pages of its own; those that were never used are not to be touched for nothing.
    uint32_t used =
        __atomic_load_n(&epitaph_capture_settings_now.annotations_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < EPITAPH_ANNOTATION_LIMIT; i++) {
        uint32_t current = __atomic_load_n(&annotations[i].current, __ATOMIC_ACQUIRE);
        if (current != 1 && current != 2) continue;
        uint32_t count = annotations[i].value_bytes[current - 1];
        if (count > EPITAPH_ANNOTATION_VALUE_SIZE) continue;
        epitaph_writer_map_start(writer, EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP);
        epitaph_writer_text(writer, EPITAPH_KEY_ANNOTATION_NAME, annotations[i].name,
                            EPITAPH_ANNOTATION_NAME_SIZE);
        epitaph_writer_bytes(writer, EPITAPH_KEY_ANNOTATION_VALUE,
                             annotations[i].value[current - 1], count);
        epitaph_writer_end(writer);
    }
    epitaph_writer_end(writer);
}
