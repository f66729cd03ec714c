// SPDX-License-Identifier: Apache-2.0
//
// Small values of the dump, one function a type. ANY-TIME.

#ifndef EPITAPH_FILE_WRITER_VALUES_H
#define EPITAPH_FILE_WRITER_VALUES_H

#include "epitaph_dump_format.h"
#include "file/writer.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A property whose value is the text up to its NUL, at most `limit` bytes.
void epitaph_writer_text(epitaph_writer *writer, epitaph_dump_key key, const char *text,
                         size_t limit);
void epitaph_writer_u8(epitaph_writer *writer, epitaph_dump_key key, uint8_t value);
void epitaph_writer_u16(epitaph_writer *writer, epitaph_dump_key key, uint16_t value);
void epitaph_writer_u32(epitaph_writer *writer, epitaph_dump_key key, uint32_t value);
void epitaph_writer_i32(epitaph_writer *writer, epitaph_dump_key key, int32_t value);
void epitaph_writer_u64(epitaph_writer *writer, epitaph_dump_key key, uint64_t value);
void epitaph_writer_i64(epitaph_writer *writer, epitaph_dump_key key, int64_t value);
/// A TIMEVAL from nanoseconds.
void epitaph_writer_time(epitaph_writer *writer, epitaph_dump_key key, uint64_t time_ns);

#pragma GCC visibility pop

#endif
