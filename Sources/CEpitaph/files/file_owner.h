// SPDX-License-Identifier: Apache-2.0
//
// Gathers the evidence on whether a `.locked` file is still needed. All QUIET-TIME.

#ifndef EPITAPH_FILES_FILE_OWNER_H
#define EPITAPH_FILES_FILE_OWNER_H

#include "epitaph_dump_file_state.h"
#include "epitaph_file_owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#pragma GCC visibility push(hidden)

/// Room for the launch record and the mark of a clean end behind it.
enum { EPITAPH_FILE_START_BYTES = 16384 };

/// Names of the locked files that this process uses: it has them open or mapped. Another copy of
/// Epitaph in the process, preloaded or linked, has files of its own.
typedef struct epitaph_used_files {
    char (*names)[EPITAPH_DUMP_NAME_SIZE];
    size_t count;
    size_t capacity;
    /// False before the first search.
    bool is_known;
} epitaph_used_files;

/// Whether this process uses the file. Such a file must not even be opened: closing any descriptor
/// of it drops its record lock, fcntl(2).
bool epitaph_file_is_used_here(epitaph_used_files *used, const char *name);
void epitaph_used_files_free(epitaph_used_files *used);

/// Reads the beginning of the locked file `name` in `directory` and decides whether its owner needs
/// it. A file that cannot be read counts as needed. The bytes are stored at `start`, because not
/// every stack has room for them.
epitaph_owner_verdict epitaph_file_owner_ask(int directory, const char *name,
                                             const struct stat *status, epitaph_file_head *head,
                                             uint8_t start[EPITAPH_FILE_START_BYTES]);

/// Reads the beginning of a file that is sealed: its owner does not need it. False if it cannot be
/// read.
bool epitaph_file_head_of(int directory, const char *name, epitaph_file_head *head,
                          uint8_t start[EPITAPH_FILE_START_BYTES]);

#pragma GCC visibility pop

#endif
