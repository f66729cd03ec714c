// SPDX-License-Identifier: Apache-2.0
//
// The MESSAGES section: why the process died, in the words its runtimes left behind.

#include "capture.h"

#include "memory.h"

enum { MESSAGE_LIMIT = 4096 };

/// Writes the text of `length` bytes in the scratch.
static void write_text(epitaph_capture *capture, const char *source, size_t length) {
    epitaph_writer *writer = &capture->writer;
    char *text = (char *)capture->scratch;
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length == 0) return;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MESSAGES);
    epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_SOURCE, source, 32);
    epitaph_writer_bytes(writer, EPITAPH_KEY_MESSAGE_TEXT, text, length);
    epitaph_writer_end(writer);
}

static void write_message(epitaph_capture *capture, const char *source, uint64_t address) {
    size_t length = epitaph_memory_read_text((char *)capture->scratch, MESSAGE_LIMIT, address);
    write_text(capture, source, length);
}

static void write_board(epitaph_capture *capture, const char *source,
                        const epitaph_message_board *board) {
    write_text(capture, source, epitaph_message_board_read(board, (char *)capture->scratch));
}

void epitaph_messages_write(epitaph_capture *capture) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    uint64_t address;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MESSAGES);
    // swift_getFatalErrorMessageBuffer() gives the place of a pointer to the text.
    if (facts->swift_message_address != 0 &&
        epitaph_memory_read_exactly(&address, facts->swift_message_address, sizeof address) &&
        address != 0) {
        write_message(capture, "swift", address);
    }
    // glibc's __abort_msg points to `struct abort_msg_s { unsigned int size; char msg[]; }`.
    if (facts->glibc_message_address != 0 &&
        epitaph_memory_read_exactly(&address, facts->glibc_message_address, sizeof address) &&
        address != 0) {
        write_message(capture, "glibc", address + sizeof(uint32_t));
    }
    write_board(capture, "c++", &epitaph_capture_settings_now.cxx_messages);
    write_board(capture, "app", &epitaph_capture_settings_now.app_messages);
    epitaph_writer_end(&capture->writer);
}
