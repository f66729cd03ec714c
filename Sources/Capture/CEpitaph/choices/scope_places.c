// SPDX-License-Identifier: Apache-2.0
//
// Slots for scopes, allocated under a lock, last freed first because its pages are resident.

#include "base/base.h"
#include "choices/choices.h"
#include "epitaph_placement.h"
#include "epitaph_scopes.h"
#include "epitaph_swift_calls.h"

#include <string.h>

/// Free slots, from 1; 0 ends the list. A fork(2) between two stores loses the child one slot.
static uint16_t first_free;
static EPITAPH_SPARSE uint16_t next_free[EPITAPH_SCOPE_LIMIT + 1];
/// Slots ever allocated.
static uint16_t used_count;
/// Generation of the latest scope; tokens contain 48 bits of it.
static uint64_t generation;

static epitaph_scope *scope_at(uint64_t place) {
    epitaph_scope *block = epitaph_scopes_now.blocks[(place - 1) / EPITAPH_SCOPE_BLOCK_SIZE];
    return &block[(place - 1) % EPITAPH_SCOPE_BLOCK_SIZE];
}

static uint64_t take_place(void) {
    if (first_free != 0) {
        uint16_t place = first_free;
        first_free = next_free[place];
        return place;
    }
    if (used_count == EPITAPH_SCOPE_LIMIT) return 0;
    epitaph_scope **block = &epitaph_scopes_now.blocks[used_count / EPITAPH_SCOPE_BLOCK_SIZE];
    if (*block == NULL) {
        epitaph_scope *memory =
            epitaph_lasting_memory_make(EPITAPH_SCOPE_BLOCK_SIZE * sizeof(epitaph_scope));
        if (memory == NULL) return 0;
        __atomic_store_n(block, memory, __ATOMIC_RELEASE);
    }
    return ++used_count;
}

/// Touches the second page only if an earlier scope of this slot wrote to it.
static void empty_ring(epitaph_scope *scope) {
    epitaph_breadcrumb_ring *ring = epitaph_scope_ring(scope);
    ring->slot_count = EPITAPH_SCOPE_BREADCRUMB_LIMIT;
    for (uint64_t i = 0; i < EPITAPH_SCOPE_BREADCRUMB_LIMIT && i < ring->last_number; i++)
        __atomic_store_n(&ring->slots[i].sequence, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->last_number, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->dropped_count, 0, __ATOMIC_RELAXED);
}

static bool is_name(const epitaph_named_attribute *attribute) {
    return attribute->name != NULL && attribute->name_bytes > 0 &&
           attribute->name_bytes <= EPITAPH_ATTRIBUTE_NAME_LIMIT &&
           epitaph_attribute_has_value(&attribute->value);
}

/// Returns false if it does not fit.
static bool append(epitaph_scope_attributes *to, const epitaph_attribute_value *value) {
    epitaph_attribute_records records = {
        .bytes = to->records, .used = to->record_bytes, .size = sizeof to->records};
    bool fits = epitaph_attribute_append(&records, value) != EPITAPH_NOT_APPENDED;
    to->record_bytes = (uint32_t)records.used;
    return fits;
}

static bool append_named(epitaph_scope_attributes *to, const epitaph_named_attribute *attribute) {
    epitaph_attribute_value value = epitaph_attribute_bytes(&attribute->value);
    value.name = attribute->name;
    value.name_bytes = attribute->name_bytes;
    return append(to, &value);
}

static bool is_long(const epitaph_attribute *value) {
    enum { SHORT_TEXT_BYTES = 64 };
    return value->type == EPITAPH_ATTRIBUTE_STRING && value->string_bytes > SHORT_TEXT_BYTES;
}

static uint64_t make(uint64_t parent, const epitaph_named_attribute *attributes, size_t count) {
    uint64_t place = take_place();
    if (place == 0) return EPITAPH_SCOPE_WITHOUT_PLACE;
    epitaph_scope *scope = scope_at(place);
    epitaph_scope_attributes *to = &scope->attributes[scope->current & 1];
    to->record_bytes = 0;
    to->left_out_count = 0;
    // Long texts last, so that they do not displace others.
    for (int long_ones = 0; long_ones <= 1; long_ones++) {
        for (size_t i = 0; attributes != NULL && i < count; i++) {
            bool is_valid = is_name(&attributes[i]);
            if ((is_valid && is_long(&attributes[i].value)) != (long_ones != 0)) continue;
            if (!is_valid || !append_named(to, &attributes[i])) to->left_out_count++;
        }
    }
    empty_ring(scope);
    scope->parent = parent;
    scope->tid = 0;
    uint64_t token = ++generation << EPITAPH_SCOPE_PLACE_BITS | place;
    __atomic_store_n(&scope->token, token, __ATOMIC_RELEASE);
    __atomic_store_n(&epitaph_scopes_now.is_used, 1, __ATOMIC_RELEASE);
    return token;
}

uint64_t epitaph_scope_place_take(uint64_t parent, const epitaph_named_attribute *attributes,
                                  size_t count) {
    epitaph_process_lock_take(EPITAPH_LOCK_SCOPES);
    uint64_t token = make(parent, attributes, count);
    epitaph_process_lock_give(EPITAPH_LOCK_SCOPES);
    return token;
}

uint64_t epitaph_scope_make(uint64_t parent, const epitaph_named_attribute *attributes,
                            size_t count) {
    return epitaph_scope_place_take(parent, attributes, count);
}

uint64_t epitaph_scope_check_word(uint64_t scope) {
    return scope ^ EPITAPH_SCOPE_CHECK;
}

void epitaph_scope_place_give(uint64_t token) {
    epitaph_process_lock_take(EPITAPH_LOCK_SCOPES);
    epitaph_scope *scope = epitaph_scope_find(token);
    if (scope != NULL) {
        uint16_t place = (uint16_t)(token & EPITAPH_SCOPE_PLACE_MASK);
        __atomic_store_n(&scope->token, 0, __ATOMIC_RELEASE);
        next_free[place] = first_free;
        first_free = place;
    }
    epitaph_process_lock_give(EPITAPH_LOCK_SCOPES);
}

void epitaph_scope_free(uint64_t token) {
    epitaph_scope_place_give(token);
}

static bool is_named(const epitaph_attribute_value *value, const epitaph_named_attribute *named) {
    return value->name_bytes == named->name_bytes &&
           memcmp(value->name, named->name, named->name_bytes) == 0;
}

static epitaph_status replace(epitaph_scope *scope, const epitaph_named_attribute *attribute) {
    uint32_t current = scope->current;
    epitaph_scope_attributes *from = &scope->attributes[current & 1];
    epitaph_scope_attributes *to = &scope->attributes[(current + 1) & 1];
    __atomic_thread_fence(__ATOMIC_RELEASE);
    to->record_bytes = 0;
    to->left_out_count = from->left_out_count;
    epitaph_attribute_value value;
    size_t offset = 0;
    while (epitaph_attribute_next(from->records, from->record_bytes, &offset, &value)) {
        if (!is_named(&value, attribute)) append(to, &value);
    }
    if (!append_named(to, attribute)) {
        __atomic_fetch_add(&from->left_out_count, 1, __ATOMIC_RELAXED);
        return EPITAPH_NO_ROOM;
    }
    __atomic_store_n(&scope->current, current + 1, __ATOMIC_RELEASE);
    return EPITAPH_OK;
}

epitaph_status epitaph_scope_attribute_set(uint64_t token,
                                           const epitaph_named_attribute *attribute) {
    if (attribute == NULL || !is_name(attribute)) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_SCOPES);
    epitaph_scope *scope = epitaph_scope_find(token);
    epitaph_status status = scope == NULL ? EPITAPH_INVALID_OPTION : replace(scope, attribute);
    epitaph_process_lock_give(EPITAPH_LOCK_SCOPES);
    return status;
}
