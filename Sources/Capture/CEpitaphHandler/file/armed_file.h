// SPDX-License-Identifier: Apache-2.0
//
// Arming: opening and locking a file, its head, its launch record. ANY-TIME.

#ifndef EPITAPH_FILE_ARMED_FILE_H
#define EPITAPH_FILE_ARMED_FILE_H

#include "file/writer.h"

#pragma GCC visibility push(hidden)

/// Takes the owner's lock; a negative errno if another process has it or there are no locks.
long epitaph_dump_file_lock(int fd);

/// Opens the file by its locked name and adopts the descriptor. Returns 0 or a negative errno.
long epitaph_dump_file_open_locked(epitaph_dump_file *file, int flags);

/// Whether somebody has truncated the file, so that its launch record is gone.
bool epitaph_dump_file_is_emptied(const epitaph_dump_file *file);

/// Turns an open file into one without a head that contains only a launch record. Returns 0 or a
/// negative errno.
long epitaph_dump_file_begin_again(epitaph_dump_file *file);

// The head: the first bytes of an armed file, allocated and mapped. Stores alone can record the end
// of the process, without a system call that a filter might punish, and without a descriptor that
// the program may have closed. docs/dump-format.md, "The head".

enum {
    EPITAPH_HEAD_BYTES = 65536,
};

/// ANY-TIME. Whether stores into reserved mapped blocks need no other block.
bool epitaph_file_stores_in_place(int fd);

/// ANY-TIME. Gives a new, empty file a head. Leaves the file unchanged if that is impossible: no
/// permanent reservation of blocks, or no mapping.
void epitaph_head_make(epitaph_dump_file *file);
void epitaph_head_unmap(epitaph_dump_file *file);

/// CRASH-TIME. Copies possibly unreadable memory to `offset` of the head. Returns the bytes copied,
/// -ENOSPC behind its end, or -EFAULT if none could be copied.
long epitaph_head_put(epitaph_dump_file *file, const void *bytes, size_t count, uint64_t offset);

/// CRASH-TIME. Erases everything after the launch record.
void epitaph_head_clear(epitaph_dump_file *file);
/// CRASH-TIME. The same up to offset `end`, if that is known to be enough.
void epitaph_head_clear_to(epitaph_dump_file *file, uint64_t end);

/// CRASH-TIME. End of the part of the head that can be stored to, found by a guarded store to each
/// page: the file may have been truncated, its disk gone, or full if the head is a hole. Tried
/// pages then have blocks. In a head with blocks only the pages of a usual record are tried.
uint8_t *epitaph_head_reach(const epitaph_dump_file *file);

// The launch record: which process owns the file. Missing facts are recorded as damage.
void epitaph_launch_record_write(epitaph_writer *writer, const epitaph_dump_file *file);

uint64_t epitaph_launch_record_memory_warning_place(const epitaph_dump_file *file);

/// QUIET-TIME. Sets the writer for launch records, which nothing else may use at that time.
void epitaph_launch_writer_set(epitaph_writer *writer);

#pragma GCC visibility pop

#endif
