// SPDX-License-Identifier: Apache-2.0
//
// Writers of annotations use a lock; the handler does not. A new value is written beside the
// current one and then made current by one store, so a process that is forked at any moment has
// either the old or the new value.

#include "choices/annotations.h"

#include "base/error.h"
#include "base/guarded_memory.h"
#include "base/process_locks.h"
#include "epitaph.h"
#include "epitaph_annotation.h"
#include "epitaph_process_page.h"
#include "epitaph_settings.h"

#include <stdbool.h>
#include <string.h>

static uint32_t place_of(const epitaph_annotation *annotation) {
    return annotation->current & EPITAPH_ANNOTATION_PLACE_MASK;
}

/// Makes the value at `place` the current one, 0 for none, and counts the change.
static void make_current(epitaph_annotation *annotation, uint32_t place) {
    uint32_t changes = annotation->current & ~(uint32_t)EPITAPH_ANNOTATION_PLACE_MASK;
    __atomic_store_n(&annotation->current, (changes + EPITAPH_ANNOTATION_CHANGE) | place,
                     __ATOMIC_RELEASE);
}

static epitaph_annotation *find(const char *name) {
    epitaph_annotation *annotations = epitaph_capture_settings_now.annotations;
    for (uint32_t i = 0; i < epitaph_capture_settings_now.annotations_used; i++) {
        if (place_of(&annotations[i]) != 0 && strcmp(annotations[i].name, name) == 0) {
            return &annotations[i];
        }
    }
    return NULL;
}

static epitaph_annotation *find_free(void) {
    epitaph_annotation *annotations = epitaph_capture_settings_now.annotations;
    for (int i = 0; i < EPITAPH_ANNOTATION_LIMIT; i++) {
        if (place_of(&annotations[i]) == 0) return &annotations[i];
    }
    return NULL;
}

static epitaph_status set(const char *name, const char *value) {
    epitaph_annotation *annotation = find(name);
    if (annotation == NULL) {
        annotation = find_free();
        if (annotation == NULL) return EPITAPH_NO_ROOM;
        strcpy(annotation->name, name);
        uint32_t place = (uint32_t)(annotation - epitaph_capture_settings_now.annotations);
        if (place >= epitaph_capture_settings_now.annotations_used) {
            __atomic_store_n(&epitaph_capture_settings_now.annotations_used, place + 1,
                             __ATOMIC_RELEASE);
        }
    }
    uint32_t other = place_of(annotation) == 1 ? 1 : 0;
    size_t length = strnlen(value, EPITAPH_ANNOTATION_VALUE_SIZE);
    // A reader that sees any of the new bytes must also see that the current value has changed.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(annotation->value[other], value, length);
    annotation->value_bytes[other] = (uint32_t)length;
    make_current(annotation, other + 1);
    return EPITAPH_OK;
}

static bool is_name(const char *name) {
    if (name == NULL) return false;
    size_t length = strnlen(name, EPITAPH_ANNOTATION_NAME_SIZE);
    return length > 0 && length < EPITAPH_ANNOTATION_NAME_SIZE;
}

static epitaph_status check_and_set(const char *name, const char *value) {
    if (epitaph_capture_settings_now.annotations == NULL) return EPITAPH_NOT_STARTED;
    if (!is_name(name) || value == NULL) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_ANNOTATIONS);
    epitaph_status status = set(name, value);
    epitaph_process_lock_give(EPITAPH_LOCK_ANNOTATIONS);
    return status;
}

epitaph_status epitaph_annotation_set(const char *name, const char *value) {
    return check_and_set(name, value);
}

epitaph_status epitaph_annotation_remove(const char *name) {
    if (epitaph_capture_settings_now.annotations == NULL) return EPITAPH_NOT_STARTED;
    if (!is_name(name)) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_ANNOTATIONS);
    epitaph_annotation *annotation = find(name);
    if (annotation != NULL) make_current(annotation, 0);
    epitaph_process_lock_give(EPITAPH_LOCK_ANNOTATIONS);
    return EPITAPH_OK;
}

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->annotations == NULL) {
        settings->annotations =
            epitaph_guarded_memory_make(EPITAPH_ANNOTATION_LIMIT * sizeof(epitaph_annotation));
    }
    if (settings->annotations == NULL) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for annotations");
    }
    for (size_t i = 0; i < options->annotation_count; i++) {
        epitaph_status status =
            check_and_set(options->annotations[i].name, options->annotations[i].value);
        if (status == EPITAPH_NO_ROOM) {
            return epitaph_error_set(error, status, 0, "options.annotations: at most %d fit",
                                     EPITAPH_ANNOTATION_LIMIT);
        }
        if (status != EPITAPH_OK) {
            return epitaph_error_set(error, status, 0,
                                     "options.annotations[%zu]: a name has 1 to %d bytes, and a "
                                     "value must be given",
                                     i, EPITAPH_ANNOTATION_NAME_SIZE - 1);
        }
    }
    return EPITAPH_OK;
}
