// SPDX-License-Identifier: Apache-2.0
//
// What several sections write. CRASH-TIME.

#ifndef EPITAPH_SECTIONS_SECTION_VALUES_H
#define EPITAPH_SECTIONS_SECTION_VALUES_H

#include "capture/capture.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_dump_format.h"
#include "epitaph_notes.h"
#include "file/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

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
