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

/// Who may write to the file. Changed by compare-and-swap: a crash may race the process's end.
typedef enum epitaph_dump_file_state {
    EPITAPH_FILE_CLOSED,
    EPITAPH_FILE_ARMED,
    EPITAPH_FILE_MARKING,
    /// It has the clean-exit mark; a crash may still take it.
    EPITAPH_FILE_MARKED,
    EPITAPH_FILE_TAKEN,
    /// Has the record of a signal that the program may recover from: handler/survivors.c.
    EPITAPH_FILE_HELD,
} epitaph_dump_file_state;

typedef struct epitaph_dump_file {
    epitaph_owned_file file;
    /// An `epitaph_dump_file_state`.
    uint32_t state;
    /// Set if the file is not in the pending directory; otherwise `fd` is -1.
    epitaph_owned_file directory;
    /// The process that armed it. A forked child must not touch it.
    int32_t owner_pid;
    uint64_t launch_record_bytes;
    /// The mapped head, docs/dump-format.md; NULL without one. A forked child lacks the mapping.
    uint8_t *head;
    uint32_t head_bytes;
    uint8_t uuid[16];
    char locked_name[EPITAPH_DUMP_NAME_SIZE];
    /// A forked child took it over and continues its parent's launch.
    bool is_inherited;
} epitaph_dump_file;

#pragma GCC visibility pop

#endif
