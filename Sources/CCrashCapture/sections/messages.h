// SPDX-License-Identifier: Apache-2.0
//
// Where runtimes leave their last words. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_MESSAGES_H
#define EPITAPH_SECTIONS_MESSAGES_H

#include "capture/capture.h"
#include "epitaph_message_board.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void epitaph_messages_write(epitaph_capture *capture);

enum { EPITAPH_MESSAGE_SOURCE_COUNT = 4 };

typedef struct epitaph_message_source {
    /// As in MESSAGE_SOURCE.
    const char *name;
    /// Of our own, or NULL.
    const epitaph_message_board *board;
    /// Of a pointer to the text, `text_offset` bytes before it; 0 when there is none.
    uint64_t pointer_address;
    uint64_t text_offset;
} epitaph_message_source;

/// `index` below EPITAPH_MESSAGE_SOURCE_COUNT.
epitaph_message_source epitaph_message_source_at(uint32_t index);

/// Copies the text by plain loads, guard.h, without the newlines at its end; `text` has room for
/// EPITAPH_MESSAGE_LIMIT bytes. Returns its length, 0 when there is none.
size_t epitaph_message_load(const epitaph_message_source *source, char *text);

/// Copies the text with the kernel's help: it may be anywhere. Otherwise the same, newlines apart.
size_t epitaph_message_read(const epitaph_message_source *source, char *text);

#pragma GCC visibility pop

#endif
