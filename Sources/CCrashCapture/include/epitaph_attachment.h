// SPDX-License-Identifier: Apache-2.0
//
// A file that is to go with a report, as it lies in memory that the program writes and a crash
// reads. Internal to the package.

#ifndef EPITAPH_ATTACHMENT_H
#define EPITAPH_ATTACHMENT_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
