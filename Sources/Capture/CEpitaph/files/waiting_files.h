// SPDX-License-Identifier: Apache-2.0
//
// Files that wait for the next sweep, and the processes they belong to. QUIET-TIME.

#ifndef EPITAPH_FILES_WAITING_FILES_H
#define EPITAPH_FILES_WAITING_FILES_H

#include "epitaph_dump_file_state.h"
#include "epitaph_file_owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// Gathers the evidence on whether a `.locked` file is still needed.

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

// The files of this bundle that wait for the next sweep and that no process is using.

/// The least valuable first.
typedef enum epitaph_waiting_kind {
    /// Its process marked it and ended well.
    EPITAPH_WAITING_CLEAN_END,
    /// Only a launch record: its process was killed, for example.
    EPITAPH_WAITING_LAUNCH,
    EPITAPH_WAITING_DUMP,
    EPITAPH_WAITING_KIND_COUNT,
} epitaph_waiting_kind;

typedef struct epitaph_waiting_file {
    char name[EPITAPH_DUMP_NAME_SIZE];
    struct timespec written;
    /// What it occupies on disk.
    uint64_t bytes;
    epitaph_waiting_kind kind;
} epitaph_waiting_file;

/// Sorted by kind, within each kind the oldest first.
typedef struct epitaph_waiting_files {
    epitaph_waiting_file *items;
    size_t count;
    size_t capacity;
    size_t counts[EPITAPH_WAITING_KIND_COUNT];
    uint64_t bytes[EPITAPH_WAITING_KIND_COUNT];
} epitaph_waiting_files;

/// Lists the sealed dumps of this bundle and the locked files that their owners no longer need, and
/// returns disk blocks that were reserved for a crash and not used. Removes files that this very
/// process left before an execve(2), and those that forked children left without a crash.
void epitaph_waiting_files_list(epitaph_waiting_files *files, int directory);
void epitaph_waiting_files_free(epitaph_waiting_files *files);

/// Removes a name, unless a conversion has the file and will remove it itself. Returns 0 or an
/// errno.
int epitaph_waiting_name_remove(int directory, const char *name);
/// The same for a file of the list.
int epitaph_waiting_file_remove(epitaph_waiting_files *files, size_t index, int directory);

#pragma GCC visibility pop

#endif
