// SPDX-License-Identifier: Apache-2.0
//
// Where runtimes leave their messages. CRASH-TIME.

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
    /// Our own message board, or NULL.
    const epitaph_message_board *board;
    /// Address of a pointer that points `text_offset` bytes before the text; 0 if there is none.
    uint64_t pointer_address;
    uint64_t text_offset;
} epitaph_message_source;

/// `index` must be below EPITAPH_MESSAGE_SOURCE_COUNT.
epitaph_message_source epitaph_message_source_at(uint32_t index);

/// Copies the text by plain loads, guard.h, without the newlines at its end; `text` has room for
/// EPITAPH_MESSAGE_LIMIT bytes. Returns its length, 0 if there is none.
size_t epitaph_message_load(const epitaph_message_source *source, char *text);

/// The same with the kernel's help, because the text may be anywhere; keeps newlines at the end.
size_t epitaph_message_read(const epitaph_message_source *source, char *text);

#pragma GCC visibility pop

#endif
