// SPDX-License-Identifier: Apache-2.0
//
// A dump file as stored in the settings and in a capture. Internal to the package.

#ifndef EPITAPH_DUMP_FILE_STATE_PUBLIC_H
#define EPITAPH_DUMP_FILE_STATE_PUBLIC_H

#include "epitaph_system.h"

#pragma GCC visibility push(hidden)

enum {
    /// Room for bundle id, `@`, uuid, `.locked` and NUL within NAME_MAX.
    EPITAPH_DUMP_NAME_SIZE = 256,
    EPITAPH_BUNDLE_ID_SIZE = 256 - 36 - 1 - 7,
};

/// Who may write to a dump file. Changed by compare-and-swap: a crash and the end of the process
/// may come at the same moment.
typedef enum epitaph_dump_file_state {
    EPITAPH_FILE_CLOSED,
    /// A crash may take it.
    EPITAPH_FILE_ARMED,
    /// The mark of a clean end is being stored.
    EPITAPH_FILE_MARKING,
    /// It has the mark; a crash may still take it.
    EPITAPH_FILE_MARKED,
    /// A crash has it.
    EPITAPH_FILE_TAKEN,
    /// It contains a crash that could only be stored and that the program survived; the next crash
    /// overwrites it.
    EPITAPH_FILE_STORED,
} epitaph_dump_file_state;

/// A dump file: its descriptor, its name while it is locked, and its head.
typedef struct epitaph_dump_file {
    epitaph_owned_file file;
    /// An `epitaph_dump_file_state`.
    uint32_t state;
    /// Its own directory if it is not among the pending dumps; otherwise `fd` is -1.
    epitaph_owned_file directory;
    /// The process that armed it; a forked child must leave it alone.
    int32_t owner_pid;
    /// Size of the launch record.
    uint64_t launch_record_bytes;
    /// The first bytes of the file, mapped, docs/dump-format.md; NULL if there is no head. A forked
    /// child does not have this memory.
    uint8_t *head;
    uint32_t head_bytes;
    uint8_t uuid[16];
    char locked_name[EPITAPH_DUMP_NAME_SIZE];
    /// A forked child took it over from its parent, whose launch it goes on with.
    bool is_inherited;
} epitaph_dump_file;

#pragma GCC visibility pop

#endif
