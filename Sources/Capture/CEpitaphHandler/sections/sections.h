// SPDX-License-Identifier: Apache-2.0
//
// Dump sections that have no folder of their own, and helpers. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_SECTIONS_H
#define EPITAPH_SECTIONS_SECTIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

void epitaph_exception_write(epitaph_capture *capture);

void epitaph_crashing_thread_write(epitaph_capture *capture);
void epitaph_other_threads_write(epitaph_capture *capture);
/// THREADS: the subject of a live dump, which must have been awaited unless it is this thread.
void epitaph_subject_thread_write(epitaph_capture *capture);
/// The dump's subject if it is not the capturing thread, otherwise 0.
int32_t epitaph_other_subject(const epitaph_capture *capture);

void epitaph_process_info_write(epitaph_capture *capture);
void epitaph_system_info_write(epitaph_capture *capture);

void epitaph_process_files_write(epitaph_capture *capture);
void epitaph_machine_files_write(epitaph_capture *capture);

/// TASK_SCOPE of the task that crashed or whose thread asked for a dump.
void epitaph_scope_write(epitaph_capture *capture);

/// HEAP_SAMPLING, if allocations are sampled.
void epitaph_heap_write(epitaph_capture *capture);

void epitaph_annotations_write(epitaph_capture *capture);
void epitaph_attachments_write(epitaph_capture *capture);
void epitaph_breadcrumbs_write(epitaph_capture *capture);

void epitaph_displaced_handlers_write(epitaph_capture *capture);

/// Must be written first: `epitaph_report_request_amend` finds it right behind the launch record.
void epitaph_report_request_write(epitaph_capture *capture);

void epitaph_messages_write(epitaph_capture *capture);

/// Writes the C++ exception that the thread is handling, if any, as an entry of MESSAGES.
void epitaph_handled_exception_write(epitaph_capture *capture);

enum { EPITAPH_MESSAGE_SOURCE_COUNT = 4 };

typedef struct epitaph_message_source {
    const char *name;
    const epitaph_message_board *board;
    /// Address of a pointer to `text_offset` bytes before the text; 0: none.
    uint64_t pointer_address;
    uint64_t text_offset;
} epitaph_message_source;

epitaph_message_source epitaph_message_source_at(uint32_t index);

/// Copies the text by plain loads, to be guarded, without trailing newlines; `text` has room for
/// EPITAPH_MESSAGE_LIMIT bytes. Returns its length, 0: none.
size_t epitaph_message_load(const epitaph_message_source *source, char *text);

/// The same, read by the kernel because the text may be anywhere; keeps trailing newlines.
size_t epitaph_message_read(const epitaph_message_source *source, char *text);

/// A map with the ANNOTATION keys, in the open array `key`.
void epitaph_attribute_write(epitaph_writer *writer, epitaph_dump_key key,
                             const epitaph_attribute_value *attribute);

/// An array of them; none without attributes.
void epitaph_attributes_write(epitaph_writer *writer, epitaph_dump_key key, const uint8_t *records,
                              size_t used);

void epitaph_breadcrumb_ring_write(epitaph_capture *capture, epitaph_dump_key key,
                                   const epitaph_breadcrumb_ring *ring);

/// Writes THREAD_STATE and FLOAT_STATE into the open map, blanked.
void epitaph_thread_registers_write(epitaph_capture *capture, const ucontext_t *context,
                                    bool is_in_system_call);

/// Writes the request's message, if any, as an entry of MESSAGES.
void epitaph_request_message_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
