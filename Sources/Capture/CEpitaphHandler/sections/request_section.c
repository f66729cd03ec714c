// SPDX-License-Identifier: Apache-2.0
//
// REPORT_REQUEST. One write can replace kind and duration, which come first, when a hang ends.

#include "sections/sections.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"

#include <errno.h>

enum {
    /// Command and key, docs/dump-format.md.
    MAP_START_BYTES = 3,
    KIND_AND_DURATION_BYTES = 2 * EPITAPH_STORED_HEADER_BYTES + 1 + 8,
};

void epitaph_report_request_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_report_request *request = capture->request;
    epitaph_writer_map_start(writer, EPITAPH_KEY_REPORT_REQUEST);
    epitaph_writer_u8(writer, EPITAPH_KEY_REPORT_KIND, request->kind);
    epitaph_writer_u64(writer, EPITAPH_KEY_REPORT_DURATION, request->duration_ns);
    if (request->subject_tid != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_REPORT_SUBJECT, (uint64_t)request->subject_tid);
    }
    if (request->subject_name != NULL) {
        epitaph_writer_text(writer, EPITAPH_KEY_REPORT_SUBJECT_NAME, request->subject_name,
                            EPITAPH_SUBJECT_NAME_SIZE);
    }
    epitaph_writer_u8(writer, EPITAPH_KEY_REPORT_THREADS,
                      request->has_one_thread ? EPITAPH_THREADS_SUBJECT : EPITAPH_THREADS_ALL);
    if (request->is_provisional) {
        epitaph_writer_u8(writer, EPITAPH_KEY_REPORT_IS_PROVISIONAL, 1);
    }
    epitaph_writer_end(writer);
}

void epitaph_request_message_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_report_request *request = capture->request;
    if (request == NULL || request->message == NULL || request->message[0] == 0) return;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MESSAGES);
    epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_SOURCE,
                        request->message_source == NULL ? "app" : request->message_source,
                        EPITAPH_REQUEST_SOURCE_SIZE);
    epitaph_writer_text(writer, EPITAPH_KEY_MESSAGE_TEXT, request->message,
                        EPITAPH_REQUEST_MESSAGE_SIZE);
    epitaph_writer_end(writer);
}

long epitaph_report_request_amend(epitaph_dump_file *file, uint8_t kind, uint64_t duration_ns) {
    uint8_t bytes[KIND_AND_DURATION_BYTES];
    epitaph_stored_values values = {bytes, bytes + sizeof bytes};
    epitaph_store_number(&values, EPITAPH_KEY_REPORT_KIND, kind, 1);
    epitaph_store_number(&values, EPITAPH_KEY_REPORT_DURATION, duration_ns, 8);
    int fd = epitaph_dump_file_descriptor(file);
    if (fd < 0) return fd;
    long written =
        epitaph_sys_pwrite(fd, bytes, sizeof bytes, file->launch_record_bytes + MAP_START_BYTES);
    if (written < 0) return written;
    return written == (long)sizeof bytes ? 0 : -EIO;
}
