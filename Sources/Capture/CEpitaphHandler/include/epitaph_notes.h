// SPDX-License-Identifier: Apache-2.0
//
// What a program adds to its reports: attribute records, annotations, attachments and messages, in
// memory that it writes and a crash reads. Internal to the package.

#ifndef EPITAPH_NOTES_H
#define EPITAPH_NOTES_H

#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. How many of `count` bytes of text fit into `size` without cutting a UTF-8 character.
/// Continuation bytes begin with the bits 10 (RFC 3629, section 3), at most three in a row.
static inline size_t epitaph_text_fitting(const char *text, size_t count, size_t size) {
    if (count <= size) return count;
    size_t end = size;
    for (int step = 0; step < 4; step++) {
        if (((unsigned char)text[end] & 0xc0) != 0x80) return end;
        if (end == 0) break;
        end--;
    }
    return size;
}

// Packed attributes in breadcrumbs and scopes: type, sizes of name and value, name, value.

enum {
    /// Type (1), size of the name (1), size of the value (2 bytes).
    EPITAPH_ATTRIBUTE_HEADER_SIZE = 4,
    EPITAPH_ATTRIBUTE_NAME_LIMIT = 255,
    EPITAPH_ATTRIBUTE_CUT_FLAG = 0x80,
    /// In place of a type: the value is the kind of the breadcrumb. It has no name.
    EPITAPH_ATTRIBUTE_KIND = 0,
};

/// The value is text or 8 bytes: an int64_t, a double, or a uint64_t that is 0 or 1.
typedef struct epitaph_attribute_value {
    /// epitaph_dump_annotation_type or EPITAPH_ATTRIBUTE_KIND.
    uint8_t type;
    bool is_cut;
    const char *name;
    size_t name_bytes;
    const void *value;
    size_t value_bytes;
} epitaph_attribute_value;

typedef struct epitaph_attribute_records {
    uint8_t *bytes;
    size_t used;
    size_t size;
} epitaph_attribute_records;

typedef enum epitaph_append_result {
    EPITAPH_APPENDED,
    EPITAPH_APPENDED_CUT,
    EPITAPH_NOT_APPENDED,
} epitaph_append_result;

/// ANY-TIME. Appends a copy of the attribute. Rejects a name that is too long.
epitaph_append_result epitaph_attribute_append(epitaph_attribute_records *records,
                                               const epitaph_attribute_value *attribute);

/// ANY-TIME. Reads the attribute at `*offset` and advances; false at the end or if it is invalid.
bool epitaph_attribute_next(const uint8_t *records, size_t used, size_t *offset,
                            epitaph_attribute_value *attribute);

bool epitaph_attribute_find_kind(const uint8_t *records, size_t used,
                                 epitaph_attribute_value *kind);

enum {
    EPITAPH_ANNOTATION_LIMIT = 128,
    EPITAPH_ANNOTATION_NAME_SIZE = 256,
    EPITAPH_ANNOTATION_VALUE_SIZE = 20480,
    /// Bits of `epitaph_annotation.current` that select the value; the unit of its change counter.
    EPITAPH_ANNOTATION_PLACE_MASK = 3,
    EPITAPH_ANNOTATION_CHANGE = 4,
};

/// A name and two copies of a value, one of them current, so that the handler never sees half a
/// value. A value is text or the 8 bytes of a number.
typedef struct epitaph_annotation {
    /// Low two bits: 0 for free or removed, otherwise 1 + the index of the current value. The other
    /// bits count changes, so that a reader can check that its copy was not overwritten meanwhile.
    uint32_t current;
    uint32_t value_bytes[2];
    /// epitaph_dump_annotation_type
    uint8_t type[2];
    uint8_t is_cut[2];
    uint32_t unused[2];
    char name[EPITAPH_ANNOTATION_NAME_SIZE];
    char value[2][EPITAPH_ANNOTATION_VALUE_SIZE];
} epitaph_annotation;

// Attachments: files that go with a report.

enum {
    EPITAPH_ATTACHMENT_LIMIT = 32,
    EPITAPH_ATTACHMENT_NAME_SIZE = 208,
    EPITAPH_ATTACHMENT_PATH_SIZE = 4096,
};

typedef struct epitaph_attachment {
    /// Odd while the attachment is set, even while it is free. Each change adds one, so that a
    /// reader can check that its copy was not overwritten meanwhile.
    uint32_t changes;
    char name[EPITAPH_ATTACHMENT_NAME_SIZE];
    char path[EPITAPH_ATTACHMENT_PATH_SIZE];
} epitaph_attachment;

// Messages for the crash report, written by any thread without a lock.

enum {
    EPITAPH_MESSAGE_LIMIT = 4096,
    EPITAPH_MESSAGE_SLOT_COUNT = 4,
};

typedef struct epitaph_message_slot {
    /// The text's ticket, from 1; 0: none yet. EPITAPH_MESSAGE_BUSY while it is being written.
    uint64_t ticket;
    uint32_t count;
    char text[EPITAPH_MESSAGE_LIMIT];
} epitaph_message_slot;

/// The text with the highest ticket is current. Several slots let concurrent writers avoid waiting.
typedef struct epitaph_message_board {
    uint64_t last_ticket;
    epitaph_message_slot slots[EPITAPH_MESSAGE_SLOT_COUNT];
} epitaph_message_board;

/// ANY-TIME. Replaces the current text by `count` bytes, cut to EPITAPH_MESSAGE_LIMIT; 0 bytes:
/// none. If other threads are writing all slots at this moment, their text stays.
void epitaph_message_board_put(epitaph_message_board *board, const char *text, size_t count);

/// ANY-TIME. Copies the current text to `text`, of EPITAPH_MESSAGE_LIMIT bytes; returns its length.
size_t epitaph_message_board_read(const epitaph_message_board *board, char *text);

#pragma GCC visibility pop

#endif
