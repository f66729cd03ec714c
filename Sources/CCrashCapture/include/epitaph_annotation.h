// SPDX-License-Identifier: Apache-2.0
//
// One annotation, in memory that the program writes and a crash reads. Internal to the package.

#ifndef EPITAPH_ANNOTATION_H
#define EPITAPH_ANNOTATION_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_ANNOTATION_LIMIT = 128,
    EPITAPH_ANNOTATION_NAME_SIZE = 256,
    EPITAPH_ANNOTATION_VALUE_SIZE = 20480,
    /// The bits of `epitaph_annotation.current` that select the value, and the unit of changes.
    EPITAPH_ANNOTATION_PLACE_MASK = 3,
    EPITAPH_ANNOTATION_CHANGE = 4,
};

/// A name and a value of which one of two copies is current, so that the handler never sees half a
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

#pragma GCC visibility pop

#endif
