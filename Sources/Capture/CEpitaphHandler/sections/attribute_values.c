// SPDX-License-Identifier: Apache-2.0
//
// Writes numbers as bits; formatting is left to the reader.

#include "sections/sections.h"

void epitaph_attribute_write(epitaph_writer *writer, epitaph_dump_key key,
                             const epitaph_attribute_value *attribute) {
    bool is_text = attribute->type == EPITAPH_ANNOTATION_STRING;
    epitaph_writer_map_start(writer, key);
    epitaph_writer_bytes(writer, EPITAPH_KEY_ANNOTATION_NAME, attribute->name,
                         attribute->name_bytes);
    if (is_text) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_ANNOTATION_VALUE, attribute->value,
                             attribute->value_bytes);
    } else {
        uint64_t bits = 0;
        if (attribute->value_bytes >= sizeof bits) {
            epitaph_bytes_copy(&bits, attribute->value, sizeof bits);
        }
        epitaph_writer_u8(writer, EPITAPH_KEY_ANNOTATION_TYPE, attribute->type);
        epitaph_writer_u64(writer, EPITAPH_KEY_ANNOTATION_BITS, bits);
    }
    if (attribute->is_cut) epitaph_writer_u8(writer, EPITAPH_KEY_ANNOTATION_IS_CUT, 1);
    epitaph_writer_end(writer);
}

void epitaph_attributes_write(epitaph_writer *writer, epitaph_dump_key key, const uint8_t *records,
                              size_t used) {
    epitaph_attribute_value attribute;
    bool has_begun = false;
    size_t offset = 0;
    while (epitaph_attribute_next(records, used, &offset, &attribute)) {
        if (attribute.type == EPITAPH_ATTRIBUTE_KIND) continue;
        if (!has_begun) epitaph_writer_array_start(writer, key);
        has_begun = true;
        epitaph_attribute_write(writer, key, &attribute);
    }
    if (has_begun) epitaph_writer_end(writer);
}
