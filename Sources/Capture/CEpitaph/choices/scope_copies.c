// SPDX-License-Identifier: Apache-2.0
//
// Copies of scopes. Uses the same lock-free reads as the capture (sections/scope_section.c of
// CEpitaphHandler), which retry when another thread writes.

#include "epitaph_scope_copies.h"

#include "epitaph_scopes.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct scope_level {
    epitaph_scope_attributes attributes;
    uint32_t breadcrumb_count;
    uint32_t half_written_count;
    uint64_t numbers[EPITAPH_SCOPE_BREADCRUMB_LIMIT];
    epitaph_breadcrumb breadcrumbs[EPITAPH_SCOPE_BREADCRUMB_LIMIT];
} scope_level;

struct epitaph_scope_copy {
    uint32_t level_count;
    bool lacks_scopes;
    scope_level levels[];
};

/// Oldest first, as far as that is known while others are added.
static void copy_breadcrumbs(epitaph_scope *scope, scope_level *level) {
    const epitaph_breadcrumb_ring *ring = epitaph_scope_ring(scope);
    uint64_t last = __atomic_load_n(&ring->last_number, __ATOMIC_ACQUIRE);
    uint64_t count = last < EPITAPH_SCOPE_BREADCRUMB_LIMIT ? last : EPITAPH_SCOPE_BREADCRUMB_LIMIT;
    level->breadcrumb_count = 0;
    level->half_written_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        const epitaph_breadcrumb_slot *slot =
            &ring->slots[(last - count + i) % EPITAPH_SCOPE_BREADCRUMB_LIMIT];
        uint32_t place = level->breadcrumb_count;
        switch (epitaph_breadcrumb_slot_read(slot, &level->breadcrumbs[place],
                                             &level->numbers[place])) {
        case EPITAPH_BREADCRUMB_NONE: break;
        case EPITAPH_BREADCRUMB_WHOLE: level->breadcrumb_count++; break;
        case EPITAPH_BREADCRUMB_HALF_WRITTEN: level->half_written_count++; break;
        }
    }
}

static uint32_t depth_of(uint64_t token) {
    uint32_t depth = 0;
    while (depth < EPITAPH_SCOPE_DEPTH_LIMIT) {
        const epitaph_scope *scope = epitaph_scope_find(token);
        if (scope == NULL) break;
        depth++;
        token = scope->parent;
    }
    return depth;
}

static void fill(epitaph_scope_copy *copy, uint64_t token, uint32_t depth) {
    copy->level_count = 0;
    while (copy->level_count < depth) {
        epitaph_scope *scope = epitaph_scope_find(token);
        if (scope == NULL) break;
        scope_level *level = &copy->levels[copy->level_count];
        if (!epitaph_scope_attributes_copy(scope, token, &level->attributes)) break;
        copy_breadcrumbs(scope, level);
        copy->level_count++;
        token = scope->parent;
    }
    copy->lacks_scopes = token != 0;
}

epitaph_scope_copy *epitaph_scope_copy_make(uint64_t token) {
    uint32_t depth = depth_of(token);
    if (depth == 0 && token != EPITAPH_SCOPE_WITHOUT_PLACE) return NULL;
    int error_number = errno;
    epitaph_scope_copy *copy = malloc(sizeof *copy + depth * sizeof *copy->levels);
    if (copy != NULL) fill(copy, token, depth);
    errno = error_number;
    return copy;
}

static epitaph_copied_attribute copied(const epitaph_attribute_value *value) {
    epitaph_copied_attribute attribute = {
        .name = value->name, .name_bytes = value->name_bytes, .is_cut = value->is_cut};
    attribute.value.type = (epitaph_attribute_type)value->type;
    uint64_t bits;
    switch (value->type) {
    case EPITAPH_ATTRIBUTE_INTEGER:
    case EPITAPH_ATTRIBUTE_BOOLEAN:
        memcpy(&bits, value->value, sizeof bits);
        attribute.value.integer = (int64_t)bits;
        break;
    case EPITAPH_ATTRIBUTE_NUMBER:
        memcpy(&attribute.value.number, value->value, sizeof attribute.value.number);
        break;
    default:
        attribute.value.string = value->value;
        attribute.value.string_bytes = value->value_bytes;
        break;
    }
    return attribute;
}

static void read_attributes(const uint8_t *records, size_t used, void *context,
                            void (*on_attribute)(void *, const epitaph_copied_attribute *)) {
    epitaph_attribute_value value;
    size_t offset = 0;
    while (epitaph_attribute_next(records, used, &offset, &value)) {
        if (value.type == EPITAPH_ATTRIBUTE_KIND) continue;
        const epitaph_copied_attribute attribute = copied(&value);
        on_attribute(context, &attribute);
    }
}

static void read_breadcrumb(const epitaph_breadcrumb *breadcrumb, uint64_t number,
                            const epitaph_scope_reader *reader) {
    uint64_t launch_ns = epitaph_capture_settings_now.facts.launch_monotonic_ns;
    epitaph_copied_breadcrumb copy = {
        .number = breadcrumb->process_number != 0 ? breadcrumb->process_number : number,
        .time_ns = breadcrumb->time_ns,
        .uptime_ns = UINT64_MAX,
        .level = breadcrumb->level,
        .is_cut = breadcrumb->is_cut != 0,
        .category = breadcrumb->category,
        .category_bytes = breadcrumb->category_bytes,
        .message = breadcrumb->message,
        .message_bytes = breadcrumb->message_bytes,
        .kind = "",
    };
    if (breadcrumb->monotonic_ns >= launch_ns) {
        copy.uptime_ns = breadcrumb->monotonic_ns - launch_ns;
    }
    epitaph_attribute_value kind;
    if (epitaph_attribute_find_kind(breadcrumb->attributes, breadcrumb->attribute_bytes, &kind)) {
        copy.kind = kind.value;
        copy.kind_bytes = kind.value_bytes;
    }
    reader->on_breadcrumb(reader->context, &copy);
    read_attributes(breadcrumb->attributes, breadcrumb->attribute_bytes, reader->context,
                    reader->on_breadcrumb_attribute);
}

void epitaph_scope_copy_read(const epitaph_scope_copy *copy, const epitaph_scope_reader *reader) {
    uint64_t left_out_count = 0;
    uint64_t half_written_count = 0;
    for (uint32_t i = 0; i < copy->level_count; i++) {
        const scope_level *level = &copy->levels[i];
        read_attributes(level->attributes.records, level->attributes.record_bytes, reader->context,
                        reader->on_attribute);
        for (uint32_t j = 0; j < level->breadcrumb_count; j++)
            read_breadcrumb(&level->breadcrumbs[j], level->numbers[j], reader);
        left_out_count += level->attributes.left_out_count;
        half_written_count += level->half_written_count;
    }
    void (*on_loss)(void *, epitaph_scope_loss, uint64_t) = reader->on_loss;
    void *context = reader->context;
    if (left_out_count > 0) on_loss(context, EPITAPH_SCOPE_LOST_ATTRIBUTES, left_out_count);
    if (half_written_count > 0)
        on_loss(context, EPITAPH_SCOPE_LOST_BREADCRUMBS, half_written_count);
    if (copy->lacks_scopes) on_loss(context, EPITAPH_SCOPE_LOST_SCOPES, 1);
}

void epitaph_scope_copy_free(epitaph_scope_copy *copy) {
    free(copy);
}
