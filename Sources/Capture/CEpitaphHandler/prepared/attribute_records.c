// SPDX-License-Identifier: Apache-2.0
//
// Packed attribute records.

#include "epitaph_notes.h"

#include "system/bytes.h"

enum { NUMBER_SIZE = 8 };

static bool is_text(uint8_t type) {
    return type == EPITAPH_ANNOTATION_STRING || type == EPITAPH_ATTRIBUTE_KIND;
}

epitaph_append_result epitaph_attribute_append(epitaph_attribute_records *records,
                                               const epitaph_attribute_value *attribute) {
    size_t room = records->size - records->used;
    size_t head = EPITAPH_ATTRIBUTE_HEADER_SIZE + attribute->name_bytes;
    if (attribute->name_bytes > EPITAPH_ATTRIBUTE_NAME_LIMIT || head > room) {
        return EPITAPH_NOT_APPENDED;
    }
    size_t count = attribute->value_bytes;
    if (is_text(attribute->type)) {
        size_t most = room - head < UINT16_MAX ? room - head : UINT16_MAX;
        count = epitaph_text_fitting(attribute->value, count, most);
        if (count == 0 && attribute->value_bytes > 0) return EPITAPH_NOT_APPENDED;
    } else if (count != NUMBER_SIZE || count > room - head) {
        return EPITAPH_NOT_APPENDED;
    }
    bool is_cut = attribute->is_cut || count < attribute->value_bytes;
    uint8_t *to = records->bytes + records->used;
    to[0] = (uint8_t)(attribute->type | (is_cut ? EPITAPH_ATTRIBUTE_CUT_FLAG : 0));
    to[1] = (uint8_t)attribute->name_bytes;
    epitaph_bytes_put_little_endian(to + 2, count, 2);
    epitaph_bytes_copy(to + EPITAPH_ATTRIBUTE_HEADER_SIZE, attribute->name, attribute->name_bytes);
    epitaph_bytes_copy(to + head, attribute->value, count);
    records->used += head + count;
    return is_cut ? EPITAPH_APPENDED_CUT : EPITAPH_APPENDED;
}

bool epitaph_attribute_next(const uint8_t *records, size_t used, size_t *offset,
                            epitaph_attribute_value *attribute) {
    if (*offset > used || used - *offset < EPITAPH_ATTRIBUTE_HEADER_SIZE) return false;
    const uint8_t *from = records + *offset;
    size_t room = used - *offset - EPITAPH_ATTRIBUTE_HEADER_SIZE;
    attribute->type = (uint8_t)(from[0] & ~EPITAPH_ATTRIBUTE_CUT_FLAG);
    attribute->is_cut = (from[0] & EPITAPH_ATTRIBUTE_CUT_FLAG) != 0;
    attribute->name = (const char *)from + EPITAPH_ATTRIBUTE_HEADER_SIZE;
    attribute->name_bytes = from[1];
    attribute->value = attribute->name + attribute->name_bytes;
    attribute->value_bytes = (size_t)from[2] | (size_t)from[3] << 8;
    if (attribute->name_bytes + attribute->value_bytes > room) return false;
    if (!is_text(attribute->type) && attribute->value_bytes != NUMBER_SIZE) return false;
    *offset += EPITAPH_ATTRIBUTE_HEADER_SIZE + attribute->name_bytes + attribute->value_bytes;
    return true;
}

bool epitaph_attribute_find_kind(const uint8_t *records, size_t used,
                                 epitaph_attribute_value *kind) {
    size_t offset = 0;
    while (epitaph_attribute_next(records, used, &offset, kind)) {
        if (kind->type == EPITAPH_ATTRIBUTE_KIND) return true;
    }
    return false;
}
