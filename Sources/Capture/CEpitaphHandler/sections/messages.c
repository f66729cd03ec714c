// SPDX-License-Identifier: Apache-2.0
//
// MESSAGES: why the process died, as its runtimes say.

#include "sections/sections.h"

epitaph_message_source epitaph_message_source_at(uint32_t index) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    const epitaph_message_source sources[EPITAPH_MESSAGE_SOURCE_COUNT] = {
        // swift_getFatalErrorMessageBuffer() returns the address of a pointer to the text.
        {"swift", NULL, settings->facts.swift_message_address, 0},
        // glibc's __abort_msg points to `struct abort_msg_s { unsigned int size; char msg[]; }`.
        {"glibc", NULL, settings->facts.glibc_message_address, sizeof(uint32_t)},
        {"c++", &settings->cxx_messages, 0, 0},
        {"app", &settings->app_messages, 0, 0},
    };
    return sources[index];
}

static size_t without_newlines(const char *text, size_t length) {
    while (length > 0 && text[length - 1] == '\n')
        length--;
    return length;
}

size_t epitaph_message_load(const epitaph_message_source *source, char *text) {
    size_t length = 0;
    if (source->board != NULL) {
        length = epitaph_message_board_read(source->board, text);
    } else if (source->pointer_address != 0) {
        const char *place = *(const char *const *)source->pointer_address;
        if (place == NULL) return 0;
        place += source->text_offset;
        length = without_newlines(place, epitaph_text_length(place, EPITAPH_MESSAGE_LIMIT - 1));
        epitaph_bytes_copy(text, place, length);
    }
    return without_newlines(text, length);
}

size_t epitaph_message_read(const epitaph_message_source *source, char *text) {
    uint64_t address;
    if (source->board != NULL) return epitaph_message_board_read(source->board, text);
    if (source->pointer_address == 0 ||
        !epitaph_memory_read_exactly(&address, source->pointer_address, sizeof address) ||
        address == 0) {
        return 0;
    }
    return epitaph_memory_read_text(text, EPITAPH_MESSAGE_LIMIT, address + source->text_offset);
}

void epitaph_messages_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_array_start(writer, EPITAPH_KEY_MESSAGES);
    epitaph_request_message_write(capture);
    for (uint32_t i = 0; i < EPITAPH_MESSAGE_SOURCE_COUNT; i++) {
        epitaph_message_source source = epitaph_message_source_at(i);
        char *text = (char *)capture->scratch;
        size_t length = without_newlines(text, epitaph_message_read(&source, text));
        if (length == 0) continue;
        epitaph_writer_map_start(writer, EPITAPH_KEY_MESSAGES);
        epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_SOURCE, source.name, 32);
        epitaph_writer_bytes(writer, EPITAPH_KEY_MESSAGE_TEXT, text, length);
        epitaph_writer_end(writer);
    }
    // Ours has told of an exception that nobody caught.
    bool is_told = epitaph_message_board_read(&epitaph_capture_settings_now.cxx_messages,
                                              (char *)capture->scratch) > 0;
    if (!capture->is_live && capture->signal == SIGABRT && !is_told) {
        epitaph_handled_exception_write(capture);
    }
    epitaph_writer_end(writer);
}
