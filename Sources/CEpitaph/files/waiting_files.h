// SPDX-License-Identifier: Apache-2.0
//
// The files of this bundle that wait for the next sweep and that no process is using. All
// QUIET-TIME.

#ifndef EPITAPH_FILES_WAITING_FILES_H
#define EPITAPH_FILES_WAITING_FILES_H

#include "epitaph_dump_file_state.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

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
