// SPDX-License-Identifier: Apache-2.0
//
// Writes the commands of a dump: numbers, texts and memory, through a buffer into its file, or by
// plain stores into memory. CRASH-TIME.

#ifndef EPITAPH_FILE_WRITER_H
#define EPITAPH_FILE_WRITER_H

#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"

#include <stddef.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

// Writes the intermediate dump: commands and small values through a buffer, big values directly
// from memory. All ANY-TIME. The writer never stops a capture: a failed write is remembered in
// `error`, and what follows is dropped, so that the file stays a readable prefix. Every write has
// an explicit offset in the file, so it can be repeated, and a section that was broken off in the
// middle of a write can be cut back to the last complete command.

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
/// completely, and completes it.
void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count);
void epitaph_writer_append(epitaph_writer *writer, const void *bytes, size_t count);
/// Marks the end of a command.
void epitaph_writer_complete(epitaph_writer *writer);

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count);

// Small values of the dump, one function a type. ANY-TIME.

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

// Big values, written directly from the memory they are in. ANY-TIME.

/// A property whose value is `count` bytes at `address` of this process, which may be unreadable:
/// the kernel copies them, and the property gets as many bytes as it could read. Flushes. Returns
/// that count.
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count);

/// The same, written with a later flush together with others. If a value ends early, its `subject`
/// is put into the writer's `cut_subjects`.
void epitaph_writer_memory_later(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                                 uint64_t count, uint64_t subject);

// Writes the writer's buffer to the file. ANY-TIME.

/// Writes the buffer to the file. Called at the end of each section: what was flushed survives the
/// process.
void epitaph_writer_flush(epitaph_writer *writer);

/// Forgets gathered values that are not within the first `kept` bytes of what will be written.
void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept);

// How bytes get from the writer into the file. ANY-TIME.

/// Begins writing at `offset` of `file`.
void epitaph_writer_begin(epitaph_writer *writer, struct epitaph_dump_file *file, uint64_t offset);
/// Allows the writer to store into the file's head, from `offset` of it on, if not even the first
/// write to the file succeeds; with `is_storing` it does so from the beginning and makes no system
/// call.
void epitaph_writer_allow_stores(epitaph_writer *writer, uint64_t offset, bool is_storing);
/// The offset behind everything written so far, flushed or not.
uint64_t epitaph_writer_offset(const epitaph_writer *writer);

void epitaph_writer_remember_error(epitaph_writer *writer, long result);

/// pwrite(2), repeated if it fails: quotas, network and stacked file systems refuse one write and
/// accept the next. Bad addresses are not retried.
long epitaph_writer_put(epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset);
/// The same for several parts with pwritev(2), once; not if the writer stores.
long epitaph_writer_put_parts(epitaph_writer *writer, const struct iovec *parts, int count,
                              uint64_t offset);

/// Writes the rest of the payload at `address`, of which `done` bytes are in the file behind the
/// header at `header_offset`; returns how many are there then. Stops at memory that cannot be read
/// or written.
uint64_t epitaph_writer_put_payload(epitaph_writer *writer, uint64_t header_offset,
                                    uint64_t address, uint64_t count, uint64_t done);

// Commands of a dump, assembled in memory by plain stores, for what is not written with the writer:
// the first record and the mark of a clean end. ANY-TIME.

/// Where the next command goes, and one past the available room. What does not fit is left out.
typedef struct epitaph_stored_values {
    uint8_t *next;
    uint8_t *end;
} epitaph_stored_values;

enum { EPITAPH_STORED_HEADER_BYTES = 11 };

void epitaph_store_command(epitaph_stored_values *values, epitaph_dump_command command);
void epitaph_store_keyed_command(epitaph_stored_values *values, epitaph_dump_command command,
                                 epitaph_dump_key key);

/// Where to put a property's payload of up to `count` bytes, or NULL; `epitaph_store_header` must
/// follow with the actual count.
uint8_t *epitaph_store_place(const epitaph_stored_values *values, size_t count);
void epitaph_store_header(epitaph_stored_values *values, epitaph_dump_key key, size_t count);

/// Returns where the payload is, for one that is filled in later; NULL if there is no room.
uint8_t *epitaph_store_bytes(epitaph_stored_values *values, epitaph_dump_key key, const void *bytes,
                             size_t count);
/// The lowest `size` bytes of `number`.
uint8_t *epitaph_store_number(epitaph_stored_values *values, epitaph_dump_key key, uint64_t number,
                              size_t size);

#pragma GCC visibility pop

#endif
