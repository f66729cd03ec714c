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
    /// Marked by its process, which ended well.
    EPITAPH_WAITING_CLEAN_END,
    /// A launch record alone: its process was killed, say.
    EPITAPH_WAITING_LAUNCH,
    EPITAPH_WAITING_DUMP,
    EPITAPH_WAITING_KIND_COUNT,
} epitaph_waiting_kind;

typedef struct epitaph_waiting_file {
    char name[EPITAPH_DUMP_NAME_SIZE];
    struct timespec written;
    /// What it takes on the disk.
    uint64_t bytes;
    epitaph_waiting_kind kind;
} epitaph_waiting_file;

/// Sorted by kind, and in each the oldest first.
typedef struct epitaph_waiting_files {
    epitaph_waiting_file *items;
    size_t count;
    size_t capacity;
    size_t counts[EPITAPH_WAITING_KIND_COUNT];
    uint64_t bytes[EPITAPH_WAITING_KIND_COUNT];
} epitaph_waiting_files;

/// Lists the sealed dumps of this bundle and the locked files whose owners need them no more, and
/// gives the disk the blocks back that were set aside for a crash and not used. Removes the files
/// that this very process left when it was another program, execve(2), and those that forked
/// children left without a crash.
void epitaph_waiting_files_list(epitaph_waiting_files *files, int directory);
void epitaph_waiting_files_free(epitaph_waiting_files *files);

/// Removes a name unless a conversion has the file: that will remove it itself. 0 or an errno.
int epitaph_waiting_name_remove(int directory, const char *name);
/// The same for a file of the list.
int epitaph_waiting_file_remove(epitaph_waiting_files *files, size_t index, int directory);

#pragma GCC visibility pop

#endif
