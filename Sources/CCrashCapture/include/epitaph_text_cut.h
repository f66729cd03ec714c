// SPDX-License-Identifier: Apache-2.0
//
// Where a text ends that is too long for its place. Internal to the package.

#ifndef EPITAPH_TEXT_CUT_H
#define EPITAPH_TEXT_CUT_H

#include <stddef.h>

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

#endif
