// SPDX-License-Identifier: Apache-2.0
//
// The sections of a dump that have no room of their own, and what several of them write.
// CRASH-TIME.

#ifndef EPITAPH_SECTIONS_SECTIONS_H
#define EPITAPH_SECTIONS_SECTIONS_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// The sections of a dump that are not those of a room of their own. CRASH-TIME.

/// SIGNAL_EXCEPTION
void epitaph_exception_write(epitaph_capture *capture);

/// THREADS: first the crashing thread alone, later all others.
void epitaph_crashing_thread_write(epitaph_capture *capture);
void epitaph_other_threads_write(epitaph_capture *capture);
/// The same for a process that lives on: the thread that the dump is about. It has to be waited for
/// if it is not the capturing one.
void epitaph_subject_thread_write(epitaph_capture *capture);
/// The thread that the dump is about if it is not the capturing one; otherwise 0.
int32_t epitaph_other_subject(const epitaph_capture *capture);

/// PROCESS_INFO and SYSTEM_INFO
void epitaph_process_info_write(epitaph_capture *capture);
void epitaph_system_info_write(epitaph_capture *capture);

/// SYSTEM_FILES, of the process and of the machine
void epitaph_process_files_write(epitaph_capture *capture);
void epitaph_machine_files_write(epitaph_capture *capture);

/// TASK_SCOPE: what the task that crashed, or whose thread asked for a dump, knows of itself alone.
void epitaph_scope_write(epitaph_capture *capture);

/// ANNOTATIONS_SIMPLE_MAP, ATTACHMENTS and BREADCRUMBS
void epitaph_annotations_write(epitaph_capture *capture);
void epitaph_attachments_write(epitaph_capture *capture);
void epitaph_breadcrumbs_write(epitaph_capture *capture);

/// DISPLACED_HANDLERS
void epitaph_displaced_handlers_write(epitaph_capture *capture);

/// REPORT_REQUEST: what a dump of a process that lives on is of. To be called before anything else
/// is written: `epitaph_report_request_amend` finds it by its place, right behind the launch
/// record.
void epitaph_report_request_write(epitaph_capture *capture);

/// MESSAGES
void epitaph_messages_write(epitaph_capture *capture);

enum { EPITAPH_MESSAGE_SOURCE_COUNT = 4 };

/// Where a runtime leaves its messages.
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

/// Copies the text by plain loads, guarded, without the newlines at its end; `text` has room for
/// EPITAPH_MESSAGE_LIMIT bytes. Returns its length, 0 if there is none.
size_t epitaph_message_load(const epitaph_message_source *source, char *text);

/// The same with the kernel's help, because the text may be anywhere; keeps newlines at the end.
size_t epitaph_message_read(const epitaph_message_source *source, char *text);

// What several sections write. CRASH-TIME.

/// A map with the ANNOTATION keys, in the array `key`, which has been started.
void epitaph_attribute_write(epitaph_writer *writer, epitaph_dump_key key,
                             const epitaph_attribute_value *attribute);

/// An array of them, none when there are no records but perhaps that of a kind.
void epitaph_attributes_write(epitaph_writer *writer, epitaph_dump_key key, const uint8_t *records,
                              size_t used);

/// The breadcrumbs of any ring, as an array under `key`.
void epitaph_breadcrumb_ring_write(epitaph_capture *capture, epitaph_dump_key key,
                                   const epitaph_breadcrumb_ring *ring);

/// Writes THREAD_STATE and FLOAT_STATE into the open map, without what must stay out of dumps.
void epitaph_thread_registers_write(epitaph_capture *capture, const ucontext_t *context,
                                    bool is_in_system_call);

/// Writes what the request says in words, as an entry of MESSAGES; nothing if there is none.
void epitaph_request_message_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
