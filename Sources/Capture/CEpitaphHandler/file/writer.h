// SPDX-License-Identifier: Apache-2.0
//
// Writes a dump, buffered into its file or by plain stores into memory. CRASH-TIME.

#ifndef EPITAPH_FILE_WRITER_H
#define EPITAPH_FILE_WRITER_H

#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"

#include <stddef.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

// Commands and small values are buffered, big values written directly from memory. All ANY-TIME.
// The writer never stops a capture: after a failed write, `error` is set and the rest dropped, so
// that the file stays a readable prefix. Writes have explicit offsets: they can be repeated, and a
// section broken off during a write is cut back to its last complete command.

enum {
    EPITAPH_WRITER_BUFFER_SIZE = 16384,
    EPITAPH_WRITER_DEPTH_LIMIT = 10,
    EPITAPH_GATHERED_LIMIT = 16,
    /// Command, key and length of a property, docs/dump-format.md.
    EPITAPH_PROPERTY_HEADER_SIZE = 11,
    EPITAPH_PROPERTY_LENGTH_OFFSET = 3,
    EPITAPH_WRITER_DEPTH_VALUES = 16,
};
_Static_assert(EPITAPH_WRITER_DEPTH_LIMIT < 16, "a depth fits into the word `whole`");

typedef struct epitaph_gathered {
    uint64_t address;
    uint64_t count;
    uint64_t subject;
    /// The buffered bytes that precede it.
    uint32_t buffer_end;
} epitaph_gathered;

typedef struct epitaph_writer {
    /// Proven before each write.
    struct epitaph_dump_file *file;
    /// Head offset for stores instead of writes, 0: none; and the corresponding file offset.
    uint64_t store_offset;
    uint64_t begin_bytes;
    /// Whether it stores now, and whether a write has reached the file: then the rest must, too.
    bool is_storing;
    bool has_written;
    /// RLIMIT_FSIZE prevented a write and left a SIGXFSZ pending.
    bool has_met_size_limit;
    /// The first failure; 0: none.
    int error;
    /// File offset of the buffer's first byte.
    uint64_t flushed_bytes;
    uint32_t buffered_bytes;
    /// End of the last complete command and the depth there, as offset * 16 + depth: in one word,
    /// so that an interruption finds both or neither.
    uint64_t whole;
    /// Open containers without the root, and which are arrays.
    uint32_t depth;
    bool is_array[EPITAPH_WRITER_DEPTH_LIMIT];
    uint32_t gathered_count;
    uint64_t gathered_bytes;
    epitaph_gathered gathered[EPITAPH_GATHERED_LIMIT];
    /// Subjects of gathered values that ended early, as far as there is room.
    uint32_t cut_count;
    uint64_t cut_subjects[EPITAPH_GATHERED_LIMIT];
    uint8_t buffer[EPITAPH_WRITER_BUFFER_SIZE];
} epitaph_writer;
/// Goes back to the last complete command, after a section was broken off.
void epitaph_writer_mend(epitaph_writer *writer);

void epitaph_writer_root_start(epitaph_writer *writer);
void epitaph_writer_root_end(epitaph_writer *writer);
/// In an array `key` is not written.
void epitaph_writer_map_start(epitaph_writer *writer, epitaph_dump_key key);
void epitaph_writer_array_start(epitaph_writer *writer, epitaph_dump_key key);
void epitaph_writer_end(epitaph_writer *writer);
/// Ends containers down to `depth`, to close a section that was broken off.
void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth);

void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count);
/// In parts: begin a property of `count` bytes, append exactly those, and complete it.
void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count);
void epitaph_writer_append(epitaph_writer *writer, const void *bytes, size_t count);
void epitaph_writer_complete(epitaph_writer *writer);

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count);

void epitaph_writer_text(epitaph_writer *writer, epitaph_dump_key key, const char *text,
                         size_t limit);
void epitaph_writer_u8(epitaph_writer *writer, epitaph_dump_key key, uint8_t value);
void epitaph_writer_u16(epitaph_writer *writer, epitaph_dump_key key, uint16_t value);
void epitaph_writer_u32(epitaph_writer *writer, epitaph_dump_key key, uint32_t value);
void epitaph_writer_i32(epitaph_writer *writer, epitaph_dump_key key, int32_t value);
void epitaph_writer_u64(epitaph_writer *writer, epitaph_dump_key key, uint64_t value);
void epitaph_writer_i64(epitaph_writer *writer, epitaph_dump_key key, int64_t value);
void epitaph_writer_time(epitaph_writer *writer, epitaph_dump_key key, uint64_t time_ns);

/// A property of the readable part of `count` bytes at `address`. Flushes. Returns its size.
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count);

/// The same, many with one later flush. A cut value's `subject` is added to `cut_subjects`.
void epitaph_writer_memory_later(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                                 uint64_t count, uint64_t subject);

/// Writes the buffer to the file. Called after each section: flushed bytes survive the process.
void epitaph_writer_flush(epitaph_writer *writer);

/// Forgets gathered values beyond the first `kept` bytes to be written.
void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept);

void epitaph_writer_begin(epitaph_writer *writer, struct epitaph_dump_file *file, uint64_t offset);
/// Allows storing into the file's head from `offset` on, if not even the first write succeeds; with
/// `is_storing`, from the beginning and without system calls.
void epitaph_writer_allow_stores(epitaph_writer *writer, uint64_t offset, bool is_storing);
/// End of everything written so far, flushed or not.
uint64_t epitaph_writer_offset(const epitaph_writer *writer);

void epitaph_writer_remember_error(epitaph_writer *writer, long result);

/// pwrite(2), retried except for bad addresses: quotas, network and stacked file systems may refuse
/// one write and accept the next.
long epitaph_writer_put(epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset);
/// Several parts with a single pwritev(2); refused while the writer stores.
long epitaph_writer_put_parts(epitaph_writer *writer, const struct iovec *parts, int count,
                              uint64_t offset);

/// Writes the rest of a payload, after `done` bytes, up to memory that cannot be read or written.
/// Returns the bytes in the file behind the header at `header_offset`.
uint64_t epitaph_writer_put_payload(epitaph_writer *writer, uint64_t header_offset,
                                    uint64_t address, uint64_t count, uint64_t done);

// Commands assembled in memory by plain stores, for the first record and end marks. ANY-TIME.

/// Next place and end of the room. What does not fit is left out.
typedef struct epitaph_stored_values {
    uint8_t *next;
    uint8_t *end;
} epitaph_stored_values;

enum { EPITAPH_STORED_HEADER_BYTES = 11 };

void epitaph_store_command(epitaph_stored_values *values, epitaph_dump_command command);
void epitaph_store_keyed_command(epitaph_stored_values *values, epitaph_dump_command command,
                                 epitaph_dump_key key);

/// A place for up to `count` payload bytes, or NULL; then call `epitaph_store_header`.
uint8_t *epitaph_store_place(const epitaph_stored_values *values, size_t count);
void epitaph_store_header(epitaph_stored_values *values, epitaph_dump_key key, size_t count);

/// Returns the payload's place, for filling in later; NULL without room.
uint8_t *epitaph_store_bytes(epitaph_stored_values *values, epitaph_dump_key key, const void *bytes,
                             size_t count);
uint8_t *epitaph_store_number(epitaph_stored_values *values, epitaph_dump_key key, uint64_t number,
                              size_t size);

#pragma GCC visibility pop

#endif
