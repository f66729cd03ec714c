// SPDX-License-Identifier: Apache-2.0
//
// Attributes of the process, one function a type.

#include "choices/choices.h"

epitaph_status epitaph_attribute_set_string(const char *name, const char *value) {
    return epitaph_annotation_store(name, value);
}

epitaph_status epitaph_attribute_set_integer(const char *name, int64_t value) {
    const epitaph_attribute attribute = {.type = EPITAPH_ATTRIBUTE_INTEGER, .integer = value};
    return epitaph_attribute_store(name, &attribute);
}

epitaph_status epitaph_attribute_set_number(const char *name, double value) {
    const epitaph_attribute attribute = {.type = EPITAPH_ATTRIBUTE_NUMBER, .number = value};
    return epitaph_attribute_store(name, &attribute);
}

epitaph_status epitaph_attribute_set_boolean(const char *name, int value) {
    const epitaph_attribute attribute = {.type = EPITAPH_ATTRIBUTE_BOOLEAN, .integer = value != 0};
    return epitaph_attribute_store(name, &attribute);
}

epitaph_status epitaph_attribute_remove(const char *name) {
    return epitaph_annotation_drop(name);
}
