// SPDX-License-Identifier: Apache-2.0
//
// ANNOTATIONS_SIMPLE_MAP

#include "sections/sections.h"

enum { ATTEMPT_LIMIT = 1000 };

/// In the scratch.
typedef struct annotation_copy {
    uint8_t type;
    bool is_cut;
    size_t value_bytes;
    char name[EPITAPH_ANNOTATION_NAME_SIZE];
    char value[EPITAPH_ANNOTATION_VALUE_SIZE];
} annotation_copy;

_Static_assert(sizeof(annotation_copy) <= EPITAPH_SCRATCH_SIZE, "a copy fits into the scratch");

typedef enum copy_result { COPY_NOTHING_SET, COPY_DONE, COPY_TORN } copy_result;

/// Copies an annotation that running threads may change. The current value is overwritten only
/// after another became current, so the copy is good if the same one still is.
static copy_result copy_once(const epitaph_annotation *annotation, annotation_copy *copy) {
    uint32_t current = __atomic_load_n(&annotation->current, __ATOMIC_ACQUIRE);
    uint32_t place = current & EPITAPH_ANNOTATION_PLACE_MASK;
    if (place != 1 && place != 2) return COPY_NOTHING_SET;
    size_t count = annotation->value_bytes[place - 1];
    if (count > EPITAPH_ANNOTATION_VALUE_SIZE) count = EPITAPH_ANNOTATION_VALUE_SIZE;
    copy->value_bytes = count;
    copy->type = annotation->type[place - 1];
    copy->is_cut = annotation->is_cut[place - 1] != 0;
    epitaph_bytes_copy(copy->name, annotation->name, sizeof copy->name);
    epitaph_bytes_copy(copy->value, annotation->value[place - 1], count);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint32_t now = __atomic_load_n(&annotation->current, __ATOMIC_RELAXED);
    return now == current ? COPY_DONE : COPY_TORN;
}

static copy_result copy_whole(const epitaph_annotation *annotation, annotation_copy *copy) {
    for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
        copy_result result = copy_once(annotation, copy);
        if (result != COPY_TORN) return result;
    }
    return COPY_TORN;
}

void epitaph_annotations_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_annotation *annotations = epitaph_capture_settings_now.annotations;
    if (annotations == NULL) return;
    annotation_copy *copy = (annotation_copy *)capture->scratch;
    epitaph_writer_array_start(writer, EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP);
    // Each is on its own pages; do not touch unused ones.
    uint32_t used =
        __atomic_load_n(&epitaph_capture_settings_now.annotations_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used && i < EPITAPH_ANNOTATION_LIMIT; i++) {
        copy_result result = copy_whole(&annotations[i], copy);
        if (result == COPY_TORN) {
            epitaph_damage_add(capture, EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, EPITAPH_WHY_OUT_OF_TIME,
                               0, 0);
        }
        if (result != COPY_DONE) continue;
        epitaph_attribute_value attribute;
        attribute.type = copy->type;
        attribute.is_cut = copy->is_cut;
        attribute.name = copy->name;
        attribute.name_bytes = epitaph_text_length(copy->name, sizeof copy->name);
        attribute.value = copy->value;
        attribute.value_bytes = copy->value_bytes;
        epitaph_attribute_write(writer, EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP, &attribute);
    }
    epitaph_writer_end(writer);
}
