// SPDX-License-Identifier: Apache-2.0
//
// How a file is armed: opened and locked, its head mapped, its launch record written. ANY-TIME.

#ifndef EPITAPH_FILE_ARMED_FILE_H
#define EPITAPH_FILE_ARMED_FILE_H

#include "file/writer.h"

#pragma GCC visibility push(hidden)

// A dump file as used by the other files of this room.

/// Takes the owner's lock; returns a negative errno if another process has it or the file system
/// has no locks.
long epitaph_dump_file_lock(int fd);

/// Opens the file under its locked name, creating it if `flags` say so, and adopts the descriptor.
/// Returns 0 or a negative errno.
long epitaph_dump_file_open_locked(epitaph_dump_file *file, int flags);

// The head of an armed file: its first bytes, allocated and mapped, so that the end of the process,
// clean or not, can be recorded by stores alone, without a system call for which a filter might
// kill the process, and without a descriptor that the program may have closed. docs/dump-format.md,
// "The head".

enum {
    EPITAPH_HEAD_BYTES = 65536,
};

/// ANY-TIME. Whether the file's file system writes a block where it is, so that a store into a
/// mapped block that was reserved needs no other.
bool epitaph_file_stores_in_place(int fd);

/// ANY-TIME. Gives a new, empty file a head. If that is not possible (the file system cannot
/// reserve blocks permanently, or cannot map) the file stays as it was.
void epitaph_head_make(epitaph_dump_file *file);
void epitaph_head_unmap(epitaph_dump_file *file);

/// CRASH-TIME. Copies memory that may be unreadable to `offset` of the head. Returns how many bytes
/// were copied, -ENOSPC behind its end, or -EFAULT if not one could be copied.
long epitaph_head_put(epitaph_dump_file *file, const void *bytes, size_t count, uint64_t offset);

/// CRASH-TIME. Removes everything that was stored behind the launch record.
void epitaph_head_clear(epitaph_dump_file *file);

/// CRASH-TIME. One past the last byte of the head that can be stored to, determined by a guarded
/// store to each page: the file may have been truncated, its disk may be gone, or full if the head
/// is a hole. Pages that were tried have blocks from then on. In a head that has its blocks only
/// the pages that a record usually needs are tried.
uint8_t *epitaph_head_reach(const epitaph_dump_file *file);

// The launch record: which process a dump file belongs to.

// Each section begins and ends its own containers and records as damage what it cannot get.
void epitaph_launch_record_write(epitaph_writer *writer, const epitaph_dump_file *file);

/// The offset of the byte that says whether the program was told that memory is short.
uint64_t epitaph_launch_record_memory_warning_place(const epitaph_dump_file *file);

// Making dump files. QUIET-TIME.

/// Sets the writer for launch records. Nothing else may be using it when they are written.
void epitaph_launch_writer_set(epitaph_writer *writer);

#pragma GCC visibility pop

#endif
