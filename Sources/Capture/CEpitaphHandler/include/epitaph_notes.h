// SPDX-License-Identifier: Apache-2.0
//
// What a program says for its reports: attributes in few bytes, annotations, attachments and
// messages, in memory that it writes and a crash reads. Internal to the package.

#ifndef EPITAPH_NOTES_H
#define EPITAPH_NOTES_H

#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// Where a text ends that is too long for its place.

/// ANY-TIME. How much of `count` bytes of text fits into `size`. A character of UTF-8 is not cut:
/// its bytes after the first begin with the bits 10 (RFC 3629, section 3), and there are at most
/// three.
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

// Attributes one behind the other in few bytes, as they lie in breadcrumbs and scopes: a type, the
// sizes of name and value, and both.

enum {
    /// Type, size of the name, size of the value in two bytes.
    EPITAPH_ATTRIBUTE_HEADER_SIZE = 4,
    EPITAPH_ATTRIBUTE_NAME_LIMIT = 255,
    /// In the byte of the type: the value was longer.
    EPITAPH_ATTRIBUTE_CUT_FLAG = 0x80,
    /// In the place of a type: the value says of what kind a breadcrumb is. It has no name.
    EPITAPH_ATTRIBUTE_KIND = 0,
};

/// One attribute. The value is text for strings, and otherwise 8 bytes: an int64_t, a double, or a
/// uint64_t that is 0 or 1.
typedef struct epitaph_attribute_value {
    /// epitaph_dump_annotation_type, or EPITAPH_ATTRIBUTE_KIND
    uint8_t type;
    bool is_cut;
    const char *name;
    size_t name_bytes;
    const void *value;
    size_t value_bytes;
} epitaph_attribute_value;

/// Memory for records.
typedef struct epitaph_attribute_records {
    uint8_t *bytes;
    size_t used;
    size_t size;
} epitaph_attribute_records;

typedef enum epitaph_append_result {
    EPITAPH_APPENDED,
    /// A text that was too long ends before the character that does not fit.
    EPITAPH_APPENDED_CUT,
    /// There is no room for it.
    EPITAPH_NOT_APPENDED,
} epitaph_append_result;

/// ANY-TIME. Copies an attribute behind those that are there. A name that is too long is no name.
epitaph_append_result epitaph_attribute_append(epitaph_attribute_records *records,
                                               const epitaph_attribute_value *attribute);

/// ANY-TIME. The attribute at `*offset` of `used` bytes of records, and moves the offset behind it;
/// false at the end, or where the bytes make no sense.
bool epitaph_attribute_next(const uint8_t *records, size_t used, size_t *offset,
                            epitaph_attribute_value *attribute);

/// ANY-TIME. The value that says of what kind a breadcrumb is; false if there is none.
bool epitaph_attribute_find_kind(const uint8_t *records, size_t used,
                                 epitaph_attribute_value *kind);

// One annotation, in memory that the program writes and a crash reads.

enum {
    EPITAPH_ANNOTATION_LIMIT = 128,
    EPITAPH_ANNOTATION_NAME_SIZE = 256,
    EPITAPH_ANNOTATION_VALUE_SIZE = 20480,
    /// The bits of `epitaph_annotation.current` that select the value, and the unit of changes.
    EPITAPH_ANNOTATION_PLACE_MASK = 3,
    EPITAPH_ANNOTATION_CHANGE = 4,
};

/// A name and two copies of a value, one of them current, so that the handler never sees half a
/// value. The bytes of a value are text, or the 8 bytes of a number.
typedef struct epitaph_annotation {
    /// The low two bits: 0 for free or removed, otherwise 1 + the index of the current value. The
    /// other bits count the changes, so that a reader that copied the value can check that it was
    /// not overwritten meanwhile.
    uint32_t current;
    uint32_t value_bytes[2];
    /// epitaph_dump_annotation_type
    uint8_t type[2];
    /// Nonzero: the text was longer.
    uint8_t is_cut[2];
    /// So that numbers are aligned.
    uint32_t unused[2];
    char name[EPITAPH_ANNOTATION_NAME_SIZE];
    char value[2][EPITAPH_ANNOTATION_VALUE_SIZE];
} epitaph_annotation;

// A file that is to go with a report, as it lies in memory that the program writes and a crash
// reads.

enum {
    EPITAPH_ATTACHMENT_LIMIT = 32,
    EPITAPH_ATTACHMENT_NAME_SIZE = 208,
    EPITAPH_ATTACHMENT_PATH_SIZE = 4096,
};

/// Both texts end with NUL.
typedef struct epitaph_attachment {
    /// Odd while the attachment is set, even while it is free. Each change adds one, so that a
    /// reader that copied the texts can check that they were not written meanwhile.
    uint32_t changes;
    char name[EPITAPH_ATTACHMENT_NAME_SIZE];
    char path[EPITAPH_ATTACHMENT_PATH_SIZE];
} epitaph_attachment;

// Texts that the program leaves for its crash report, from any thread and without a lock.

enum {
    EPITAPH_MESSAGE_LIMIT = 4096,
    EPITAPH_MESSAGE_SLOT_COUNT = 4,
};

typedef struct epitaph_message_slot {
    /// The ticket of the text, counted from 1; 0 for none yet, EPITAPH_MESSAGE_BUSY while it is
    /// being written.
    uint64_t ticket;
    uint32_t count;
    char text[EPITAPH_MESSAGE_LIMIT];
} epitaph_message_slot;

/// The text with the highest ticket is current. There are several slots so that concurrent writers
/// need not wait for each other.
typedef struct epitaph_message_board {
    uint64_t last_ticket;
    epitaph_message_slot slots[EPITAPH_MESSAGE_SLOT_COUNT];
} epitaph_message_board;

/// ANY-TIME. Replaces the current text by `count` bytes of text, cut to EPITAPH_MESSAGE_LIMIT; 0
/// bytes for none. If all slots are being written by other threads at this moment, their text
/// stays.
void epitaph_message_board_put(epitaph_message_board *board, const char *text, size_t count);

/// ANY-TIME. Copies the current text to `text`, which has room for EPITAPH_MESSAGE_LIMIT bytes, and
/// returns its length: 0 if there is none.
size_t epitaph_message_board_read(const epitaph_message_board *board, char *text);

#pragma GCC visibility pop

#endif
