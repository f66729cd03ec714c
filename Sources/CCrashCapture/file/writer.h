// SPDX-License-Identifier: Apache-2.0
//
// Writes the intermediate dump: commands and small values through a buffer, big values directly
// from memory. All ANY-TIME. The writer never stops a capture: a failed write is remembered in
// `error`, and what follows is dropped, so that the file stays a readable prefix.
//
// Every write has an explicit offset in the file, so it can be repeated, and a section that was
// broken off in the middle of a write can be cut back to the last complete command.

#ifndef EPITAPH_FILE_WRITER_H
#define EPITAPH_FILE_WRITER_H

#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_WRITER_BUFFER_SIZE = 16384,
    EPITAPH_WRITER_DEPTH_LIMIT = 10,
    EPITAPH_GATHERED_LIMIT = 16,
    /// Of a property: command, key and length. docs/dump-format.md
    EPITAPH_PROPERTY_HEADER_SIZE = 11,
    EPITAPH_PROPERTY_LENGTH_OFFSET = 3,
    EPITAPH_WRITER_DEPTH_VALUES = 16,
};
_Static_assert(EPITAPH_WRITER_DEPTH_LIMIT < 16, "a depth fits into the word `whole`");

/// A big value that is written with the next flush.
typedef struct epitaph_gathered {
    uint64_t address;
    uint64_t count;
    uint64_t subject;
    /// How much of the buffer precedes it.
    uint32_t buffer_end;
} epitaph_gathered;

struct epitaph_dump_file;

typedef struct epitaph_writer {
    /// Proven before each write.
    struct epitaph_dump_file *file;
    /// Where in the head the writer stores what it must not, or cannot, write to the file; 0 if it
    /// must not store. `begin_bytes` is the file offset that corresponds to it.
    uint64_t store_offset;
    uint64_t begin_bytes;
    /// Whether it stores, and whether a write has already reached the file: then the rest must be
    /// written to the file, too.
    bool is_storing;
    bool has_written;
    /// RLIMIT_FSIZE has prevented a write, and left a SIGXFSZ pending.
    bool has_met_size_limit;
    /// The errno of the first failed write; 0 if there was none.
    int error;
    /// Bytes written to the file so far: the file offset of the buffer's first byte.
    uint64_t flushed_bytes;
    uint32_t buffered_bytes;
    /// The offset behind the last complete command and the depth there, in one word so that an
    /// interruption finds both or neither: offset * 16 + depth.
    uint64_t whole;
    /// Open containers, the root not counted, and for each whether it is an array.
    uint32_t depth;
    bool is_array[EPITAPH_WRITER_DEPTH_LIMIT];
    uint32_t gathered_count;
    uint64_t gathered_bytes;
    epitaph_gathered gathered[EPITAPH_GATHERED_LIMIT];
    /// Subjects of gathered values that ended early, as many as there is room for.
    uint32_t cut_count;
    uint64_t cut_subjects[EPITAPH_GATHERED_LIMIT];
    uint8_t buffer[EPITAPH_WRITER_BUFFER_SIZE];
} epitaph_writer;
/// Goes back to the last complete command, after a section was broken off.
void epitaph_writer_mend(epitaph_writer *writer);

void epitaph_writer_root_start(epitaph_writer *writer);
void epitaph_writer_root_end(epitaph_writer *writer);
/// A map under `key` in a map; in an array the key is not written.
void epitaph_writer_map_start(epitaph_writer *writer, epitaph_dump_key key);
void epitaph_writer_array_start(epitaph_writer *writer, epitaph_dump_key key);
/// Ends the innermost container, whether map or array.
void epitaph_writer_end(epitaph_writer *writer);
/// Ends containers until only `depth` are open: how a section that was broken off is closed.
void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth);

/// A property whose value is `count` bytes of our own memory.
void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count);
/// The same in parts: begins a property of `count` bytes, which the caller must then append
/// completely.
void epitaph_writer_value_start(epitaph_writer *writer, epitaph_dump_key key, size_t count);
void epitaph_writer_value_append(epitaph_writer *writer, const void *bytes, size_t count);
void epitaph_writer_value_end(epitaph_writer *writer);

/// Marks the end of a command.
void epitaph_writer_complete(epitaph_writer *writer);

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count);
void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count);

#pragma GCC visibility pop

#endif
