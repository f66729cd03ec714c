// SPDX-License-Identifier: Apache-2.0
//
// Puts breadcrumbs of the program into the ring of the capture.

#include "choices/choices.h"

#include "base/base.h"
#include "epitaph_scopes.h"
#include "epitaph_settings.h"
#include "epitaph_signals.h"

#include <string.h>

enum {
    EPITAPH_KIND_LIMIT = 32,
    EPITAPH_SHORT_VALUE_BYTES = 32,
};

_Static_assert((int)EPITAPH_LEVEL_DEBUG == EPITAPH_BREADCRUMB_DEBUG &&
                   (int)EPITAPH_LEVEL_INFO == EPITAPH_BREADCRUMB_INFO &&
                   (int)EPITAPH_LEVEL_WARNING == EPITAPH_BREADCRUMB_WARNING &&
                   (int)EPITAPH_LEVEL_ERROR == EPITAPH_BREADCRUMB_ERROR &&
                   (int)EPITAPH_LEVEL_FATAL == EPITAPH_BREADCRUMB_FATAL,
               "dumps have the levels of the program");

static void append(epitaph_attribute_records *records, const epitaph_attribute_value *value,
                   bool *has_cut) {
    if (epitaph_attribute_append(records, value) != EPITAPH_APPENDED) *has_cut = true;
}

static void append_attributes(epitaph_attribute_records *records,
                              const epitaph_breadcrumb_content *content, bool *has_cut) {
    if (content->kind != NULL && content->kind_bytes > 0) {
        const epitaph_attribute_value kind = {
            .type = EPITAPH_ATTRIBUTE_KIND,
            .name = "",
            .value = content->kind,
            .value_bytes =
                content->kind_bytes < EPITAPH_KIND_LIMIT ? content->kind_bytes : EPITAPH_KIND_LIMIT,
            .is_cut = content->kind_bytes > EPITAPH_KIND_LIMIT,
        };
        append(records, &kind, has_cut);
    }
    // Long texts last, so that they do not displace others.
    for (int long_ones = 0; long_ones <= 1; long_ones++) {
        for (size_t i = 0; content->attributes != NULL && i < content->attribute_count; i++) {
            const epitaph_named_attribute *named = &content->attributes[i];
            if (named->name == NULL || !epitaph_attribute_has_value(&named->value)) continue;
            epitaph_attribute_value value = epitaph_attribute_bytes(&named->value);
            if ((value.value_bytes > EPITAPH_SHORT_VALUE_BYTES) != (long_ones != 0)) continue;
            value.name = named->name;
            value.name_bytes = named->name_bytes;
            append(records, &value, has_cut);
        }
    }
}

/// Public functions go through the dynamic linker, which a signal handler must not enter.
static void add(const epitaph_breadcrumb_content *content, epitaph_breadcrumb_ring *scope_ring) {
    epitaph_breadcrumb_ring *ring =
        __atomic_load_n(&epitaph_capture_settings_now.breadcrumbs, __ATOMIC_ACQUIRE);
    uint8_t file[16];
    bool has_file = epitaph_breadcrumb_file_is_there(file);
    if (ring == NULL && scope_ring == NULL && !has_file) return;
    uint8_t bytes[EPITAPH_BREADCRUMB_ATTRIBUTES_SIZE];
    epitaph_attribute_records records = {.bytes = bytes, .size = sizeof bytes};
    bool has_cut = false;
    append_attributes(&records, content, &has_cut);
    // C allows values that are no level; they are stored as INFO.
    bool is_level = content->level >= EPITAPH_LEVEL_DEBUG && content->level <= EPITAPH_LEVEL_FATAL;
    epitaph_new_breadcrumb breadcrumb = {
        .time_ns = epitaph_clock_ns(CLOCK_REALTIME),
        .monotonic_ns = epitaph_clock_ns(CLOCK_MONOTONIC),
        .level = (uint8_t)(is_level ? content->level : EPITAPH_LEVEL_INFO),
        .category = content->category,
        .category_bytes = content->category == NULL ? 0 : content->category_bytes,
        .message = content->message,
        .message_bytes = content->message == NULL ? 0 : content->message_bytes,
        .attributes = bytes,
        .attribute_bytes = records.used,
        .has_cut_attributes = has_cut,
    };
    uint64_t number = ring == NULL ? 0 : epitaph_breadcrumb_ring_put(ring, &breadcrumb);
    if (has_file) epitaph_breadcrumb_file_put(&breadcrumb);
    if (scope_ring == NULL) return;
    breadcrumb.process_number = number;
    epitaph_breadcrumb_ring_put(scope_ring, &breadcrumb);
}

void epitaph_breadcrumb_add_content(const epitaph_breadcrumb_content *content) {
    if (content != NULL) add(content, NULL);
}

void epitaph_scope_breadcrumb_add(uint64_t token, const epitaph_breadcrumb_content *content) {
    epitaph_scope *scope = epitaph_scope_find(token);
    if (content != NULL) add(content, scope == NULL ? NULL : epitaph_scope_ring(scope));
}

static void clear(epitaph_breadcrumb_ring *scope_ring) {
    epitaph_breadcrumb_ring *ring =
        __atomic_load_n(&epitaph_capture_settings_now.breadcrumbs, __ATOMIC_ACQUIRE);
    if (ring != NULL) epitaph_breadcrumb_ring_clear(ring);
    epitaph_breadcrumb_file_clear();
    if (scope_ring != NULL) epitaph_breadcrumb_ring_clear(scope_ring);
}

void epitaph_breadcrumbs_clear(void) {
    clear(NULL);
}

void epitaph_scope_breadcrumbs_clear(uint64_t token) {
    epitaph_scope *scope = epitaph_scope_find(token);
    clear(scope == NULL ? NULL : epitaph_scope_ring(scope));
}

void epitaph_breadcrumb_add_bytes(epitaph_level level, const char *category, size_t category_bytes,
                                  const char *message, size_t message_bytes) {
    const epitaph_breadcrumb_content content = {.level = level,
                                                .category = category,
                                                .category_bytes = category_bytes,
                                                .message = message,
                                                .message_bytes = message_bytes};
    add(&content, NULL);
}

void epitaph_breadcrumb_add(epitaph_level level, const char *category, const char *message) {
    // One byte more than the file keeps, to detect truncation.
    const epitaph_breadcrumb_content content = {
        .level = level,
        .category = category,
        .category_bytes =
            category == NULL ? 0 : strnlen(category, EPITAPH_BREADCRUMB_CATEGORY_SIZE + 1),
        .message = message,
        .message_bytes =
            message == NULL ? 0 : strnlen(message, EPITAPH_BREADCRUMB_FILE_MESSAGE_SIZE + 1),
    };
    add(&content, NULL);
}

void epitaph_signal_note(int signal, int sender) {
    char words[EPITAPH_SIGNAL_NOTE_SIZE];
    size_t count = epitaph_signal_note_words(words, signal, sender);
    const epitaph_breadcrumb_content content = {
        .level = EPITAPH_LEVEL_INFO,
        .category = EPITAPH_SIGNAL_NOTE_CATEGORY,
        .category_bytes = sizeof EPITAPH_SIGNAL_NOTE_CATEGORY - 1,
        .message = words,
        .message_bytes = count,
    };
    add(&content, NULL);
}

epitaph_status epitaph_breadcrumbs_prepare(const epitaph_options *options, epitaph_error *error) {
    epitaph_breadcrumb_ring **place = &epitaph_capture_settings_now.breadcrumbs;
    size_t present = *place == NULL ? 0 : (*place)->slot_count;
    if (present == options->breadcrumb_limit) return EPITAPH_OK;
    epitaph_breadcrumb_ring *ring = NULL;
    if (options->breadcrumb_limit > 0) {
        ring = epitaph_lasting_memory_make(epitaph_breadcrumb_ring_size(options->breadcrumb_limit));
        if (ring == NULL) {
            return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for breadcrumbs");
        }
        ring->slot_count = options->breadcrumb_limit;
    }
    __atomic_store_n(place, ring, __ATOMIC_RELEASE);
    return EPITAPH_OK;
}
