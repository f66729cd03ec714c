// SPDX-License-Identifier: Apache-2.0
//
// The database and its files. QUIET-TIME.

#ifndef EPITAPH_FILES_FILES_H
#define EPITAPH_FILES_FILES_H

#include "epitaph_dump_file_state.h"
#include "epitaph_file_owner.h"
#include "epitaph_live_dumps.h"
#include "epitaph_report_request.h"

#include <sys/stat.h>
#include <time.h>

#pragma GCC visibility push(hidden)

epitaph_status epitaph_database_open(const epitaph_options *options, epitaph_error *error);

/// Why dumps may not be kept in `dumps`, as the end of a sentence; NULL if they may.
const char *epitaph_crash_directory_objection(int database, int dumps);

/// Whether a dump file may be created: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would kill
/// the program at start, or a child in fork.
bool epitaph_may_write_files(void);

/// Opens the directory `path` with O_PATH for a process running as root, creating it with mode 0700
/// if `makes_missing`. Symbolic links on the way must belong to root or to the directory's owner,
/// or another user could lead root anywhere. Returns -1 with errno; EPERM for such a link.
int epitaph_trusted_path_open(const char *path, bool makes_missing);

/// Removes and counts dumps of this bundle, without live owners, until one more fits the caps.
epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error);

// Files of forked children, which the parent cleans up because a child that dropped privileges
// cannot remove its own. docs/decisions/workers-of-another-user.md. All but the last run inside
// fork(3) or setuid(2), perhaps in a signal handler: no allocation, no waiting.

/// Whether any may still have to be dealt with. Makes no system call.
bool epitaph_handed_out_any(void);

/// Checks a few files: seals those with a crash, removes others whose children have ended.
void epitaph_handed_out_look_after(void);

/// In the child: makes the id of its file known to whoever looks after it. False if too many have
/// one, or without random numbers.
bool epitaph_handed_out_take_place(uint8_t uuid[16]);

/// Makes the table, for this process and the children it forks from now on. Idempotent.
void epitaph_handed_out_prepare(void);

/// Internal version of epitaph_provisional_dump_discard, which would go through the dynamic linker.
void epitaph_provisional_dump_drop(void);

epitaph_status epitaph_live_request_read(const epitaph_live_request *given,
                                         epitaph_report_request *request, epitaph_error *error);

epitaph_status epitaph_live_dump_make(const epitaph_live_request *given, char *name,
                                      epitaph_error *error);

// Whether a `.locked` file is still needed.

/// Room for the launch record and the clean-end mark behind it.
enum { EPITAPH_FILE_START_BYTES = 16384 };

/// Names of locked files that this process has open or mapped. Another copy of Epitaph in the
/// process, preloaded or linked, has its own.
typedef struct epitaph_used_files {
    char (*names)[EPITAPH_DUMP_NAME_SIZE];
    size_t count;
    size_t capacity;
    bool is_known;
} epitaph_used_files;

/// Do not even open such a file: closing any descriptor of it drops its record lock, fcntl(2).
bool epitaph_file_is_used_here(epitaph_used_files *used, const char *name);
void epitaph_used_files_free(epitaph_used_files *used);

/// Reads the start of the locked file `name` into `start` (not every stack has room for it) and
/// decides whether its owner needs it. An unreadable file counts as needed.
epitaph_owner_verdict epitaph_file_owner_ask(int directory, const char *name,
                                             const struct stat *status, epitaph_file_head *head,
                                             uint8_t start[EPITAPH_FILE_START_BYTES]);

bool epitaph_file_head_of(int directory, const char *name, epitaph_file_head *head,
                          uint8_t start[EPITAPH_FILE_START_BYTES]);

// Files of this bundle that wait for the next sweep and are not in use.

/// Least valuable first.
typedef enum epitaph_waiting_kind {
    EPITAPH_WAITING_CLEAN_END,
    /// Only a launch record, for example after SIGKILL.
    EPITAPH_WAITING_LAUNCH,
    EPITAPH_WAITING_DUMP,
    EPITAPH_WAITING_KIND_COUNT,
} epitaph_waiting_kind;

typedef struct epitaph_waiting_file {
    char name[EPITAPH_DUMP_NAME_SIZE];
    struct timespec written;
    /// Allocated on disk.
    uint64_t bytes;
    epitaph_waiting_kind kind;
} epitaph_waiting_file;

typedef struct epitaph_waiting_files {
    epitaph_waiting_file *items;
    size_t count;
    size_t capacity;
    size_t counts[EPITAPH_WAITING_KIND_COUNT];
    uint64_t bytes[EPITAPH_WAITING_KIND_COUNT];
} epitaph_waiting_files;

/// Lists sealed dumps of this bundle and locked files that their owners no longer need. Frees
/// unused reserved blocks, and removes files that forked children left without a crash.
void epitaph_waiting_files_list(epitaph_waiting_files *files, int directory);
void epitaph_waiting_files_free(epitaph_waiting_files *files);

/// Removes a file, unless a conversion has locked it and will remove it. Returns 0 or an errno.
int epitaph_waiting_name_remove(int directory, const char *name);
int epitaph_waiting_file_remove(epitaph_waiting_files *files, size_t index, int directory);

#pragma GCC visibility pop

#endif
