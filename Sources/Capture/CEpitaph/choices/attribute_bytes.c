// SPDX-License-Identifier: Apache-2.0
//
// Booleans are stored as the integers 0 and 1.

#include "choices/choices.h"

_Static_assert((int)EPITAPH_ATTRIBUTE_STRING == EPITAPH_ANNOTATION_STRING &&
                   (int)EPITAPH_ATTRIBUTE_INTEGER == EPITAPH_ANNOTATION_INTEGER &&
                   (int)EPITAPH_ATTRIBUTE_NUMBER == EPITAPH_ANNOTATION_NUMBER &&
                   (int)EPITAPH_ATTRIBUTE_BOOLEAN == EPITAPH_ANNOTATION_BOOLEAN,
               "dumps have the types of the program");

static const int64_t truths[2] = {0, 1};

bool epitaph_attribute_has_value(const epitaph_attribute *attribute) {
    if (attribute == NULL) return false;
    if (attribute->type == EPITAPH_ATTRIBUTE_STRING) return attribute->string != NULL;
    return attribute->type >= EPITAPH_ATTRIBUTE_INTEGER &&
           attribute->type <= EPITAPH_ATTRIBUTE_BOOLEAN;
}

epitaph_attribute_value epitaph_attribute_bytes(const epitaph_attribute *attribute) {
    epitaph_attribute_value bytes = {
        .type = (uint8_t)attribute->type, .name = "", .value_bytes = sizeof(int64_t)};
    switch (attribute->type) {
    case EPITAPH_ATTRIBUTE_STRING:
        bytes.value = attribute->string;
        bytes.value_bytes = attribute->string_bytes;
        break;
    case EPITAPH_ATTRIBUTE_INTEGER: bytes.value = &attribute->integer; break;
    case EPITAPH_ATTRIBUTE_NUMBER: bytes.value = &attribute->number; break;
    case EPITAPH_ATTRIBUTE_BOOLEAN: bytes.value = &truths[attribute->integer != 0]; break;
    }
    return bytes;
}
