// SPDX-License-Identifier: Apache-2.0
//
// Writers take a lock; the crash handler does not. A new value is written next to the current one
// and published by one store, so a child forked at any moment has the old or the new value.

#include "choices/choices.h"

#include "base/base.h"
#include "epitaph_settings.h"

#include <string.h>

static uint32_t place_of(const epitaph_annotation *annotation) {
    return annotation->current & EPITAPH_ANNOTATION_PLACE_MASK;
}

/// Publishes the value at `place`, 0 for none, and counts the change.
static void make_current(epitaph_annotation *annotation, uint32_t place) {
    uint32_t changes = annotation->current & ~(uint32_t)EPITAPH_ANNOTATION_PLACE_MASK;
    __atomic_store_n(&annotation->current, (changes + EPITAPH_ANNOTATION_CHANGE) | place,
                     __ATOMIC_RELEASE);
}

/// Hashes of names, by index: each name is on other pages, so comparing would touch 128 pages.
static uint32_t name_hashes[EPITAPH_ANNOTATION_LIMIT];

/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261U;
    for (; *name != 0; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    return hash;
}

static epitaph_annotation *find(const char *name, uint32_t hash) {
    epitaph_annotation *annotations = epitaph_capture_settings_now.annotations;
    for (uint32_t i = 0; i < epitaph_capture_settings_now.annotations_used; i++) {
        if (name_hashes[i] != hash || place_of(&annotations[i]) == 0) continue;
        if (strcmp(annotations[i].name, name) == 0) return &annotations[i];
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

static epitaph_status set(const char *name, const epitaph_attribute *value) {
    uint32_t hash = hash_of(name);
    epitaph_annotation *annotation = find(name, hash);
    if (annotation == NULL) {
        annotation = find_free();
        if (annotation == NULL) return EPITAPH_NO_ROOM;
        strcpy(annotation->name, name);
        uint32_t place = (uint32_t)(annotation - epitaph_capture_settings_now.annotations);
        name_hashes[place] = hash;
        if (place >= epitaph_capture_settings_now.annotations_used) {
            __atomic_store_n(&epitaph_capture_settings_now.annotations_used, place + 1,
                             __ATOMIC_RELEASE);
        }
    }
    uint32_t other = place_of(annotation) == 1 ? 1 : 0;
    const epitaph_attribute_value bytes = epitaph_attribute_bytes(value);
    size_t length = bytes.value_bytes;
    if (value->type == EPITAPH_ATTRIBUTE_STRING) {
        length = epitaph_text_fitting(bytes.value, length, EPITAPH_ANNOTATION_VALUE_SIZE);
    }
    // A reader that sees any new byte must also see that the current value has changed.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(annotation->value[other], bytes.value, length);
    annotation->value_bytes[other] = (uint32_t)length;
    annotation->type[other] = bytes.type;
    annotation->is_cut[other] = length < bytes.value_bytes;
    make_current(annotation, other + 1);
    return EPITAPH_OK;
}

static bool is_name(const char *name) {
    if (name == NULL) return false;
    size_t length = strnlen(name, EPITAPH_ANNOTATION_NAME_SIZE);
    return length > 0 && length < EPITAPH_ANNOTATION_NAME_SIZE;
}

epitaph_status epitaph_attribute_store(const char *name, const epitaph_attribute *value) {
    if (epitaph_capture_settings_now.annotations == NULL) return EPITAPH_NOT_STARTED;
    if (!is_name(name) || !epitaph_attribute_has_value(value)) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_ANNOTATIONS);
    epitaph_status status = set(name, value);
    epitaph_process_lock_give(EPITAPH_LOCK_ANNOTATIONS);
    return status;
}

epitaph_status epitaph_attribute_set(const char *name, const epitaph_attribute *value) {
    return epitaph_attribute_store(name, value);
}

epitaph_status epitaph_annotation_store(const char *name, const char *text) {
    epitaph_attribute value = {.type = EPITAPH_ATTRIBUTE_STRING, .string = text};
    // One byte more than is kept, to detect truncation.
    if (text != NULL) value.string_bytes = strnlen(text, EPITAPH_ANNOTATION_VALUE_SIZE + 1);
    return epitaph_attribute_store(name, &value);
}

epitaph_status epitaph_annotation_set(const char *name, const char *value) {
    return epitaph_annotation_store(name, value);
}

static void copy_out(const epitaph_annotation *annotation, epitaph_attribute_copy *copy) {
    uint32_t place = place_of(annotation) - 1;
    strcpy(copy->name, annotation->name);
    copy->type = (epitaph_attribute_type)annotation->type[place];
    copy->is_cut = annotation->is_cut[place];
    copy->string_bytes = 0;
    copy->integer = 0;
    copy->number = 0;
    const char *value = annotation->value[place];
    if (copy->type == EPITAPH_ATTRIBUTE_STRING) {
        copy->string_bytes = annotation->value_bytes[place];
        memcpy(copy->string, value, copy->string_bytes);
    } else if (copy->type == EPITAPH_ATTRIBUTE_NUMBER) {
        memcpy(&copy->number, value, sizeof copy->number);
    } else {
        memcpy(&copy->integer, value, sizeof copy->integer);
    }
}

epitaph_status epitaph_attribute_read(uint32_t *place, epitaph_attribute_copy *copy) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->annotations == NULL) return EPITAPH_NOT_STARTED;
    if (place == NULL || copy == NULL || copy->string == NULL) return EPITAPH_INVALID_OPTION;
    epitaph_status status = EPITAPH_NO_ROOM;
    epitaph_process_lock_take(EPITAPH_LOCK_ANNOTATIONS);
    for (; *place < settings->annotations_used && status != EPITAPH_OK; (*place)++) {
        if (place_of(&settings->annotations[*place]) == 0) continue;
        copy_out(&settings->annotations[*place], copy);
        status = EPITAPH_OK;
    }
    epitaph_process_lock_give(EPITAPH_LOCK_ANNOTATIONS);
    return status;
}

epitaph_status epitaph_annotation_drop(const char *name) {
    if (epitaph_capture_settings_now.annotations == NULL) return EPITAPH_NOT_STARTED;
    if (!is_name(name)) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_ANNOTATIONS);
    epitaph_annotation *annotation = find(name, hash_of(name));
    if (annotation != NULL) make_current(annotation, 0);
    epitaph_process_lock_give(EPITAPH_LOCK_ANNOTATIONS);
    return EPITAPH_OK;
}

epitaph_status epitaph_annotation_remove(const char *name) {
    return epitaph_annotation_drop(name);
}

epitaph_status epitaph_annotations_prepare(const epitaph_options *options, epitaph_error *error) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->annotations == NULL) {
        settings->annotations =
            epitaph_lasting_memory_make(EPITAPH_ANNOTATION_LIMIT * sizeof(epitaph_annotation));
    }
    if (settings->annotations == NULL) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for annotations");
    }
    for (size_t i = 0; i < options->annotation_count; i++) {
        epitaph_status status =
            epitaph_annotation_store(options->annotations[i].name, options->annotations[i].value);
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
