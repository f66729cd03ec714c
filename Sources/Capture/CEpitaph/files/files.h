// SPDX-License-Identifier: Apache-2.0
//
// The database and the files in it: its directory, room for one more dump, files that wait for the
// next sweep, the dumps of forked children, live dumps and the provisional one. QUIET-TIME.

#ifndef EPITAPH_FILES_FILES_H
#define EPITAPH_FILES_FILES_H

#include "epitaph_dump_file_state.h"
#include "epitaph_file_owner.h"
#include "epitaph_live_dumps.h"
#include "epitaph_report_request.h"

#include <sys/stat.h>
#include <time.h>

#pragma GCC visibility push(hidden)

// The database and its directory of pending dumps.

/// Opens the database and the directory in which dumps wait, making them if necessary, and stores
/// the latter's descriptor in the settings.
epitaph_status epitaph_database_open(const epitaph_options *options, epitaph_error *error);

/// Why dumps of this database may not wait in the directory `dumps`, as the end of a sentence; NULL
/// if they may.
const char *epitaph_crash_directory_objection(int database, int dumps);

/// Whether a dump file may be made: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end a
/// program at its start, or its child at the fork.
bool epitaph_may_write_files(void);

// Opens a directory safely for a process that runs as root.

/// Opens the directory at `path` with O_PATH, for a process that runs as root; makes it
/// with mode 0700 if it is missing and `makes_missing` is set. Each symbolic link on the way must
/// belong to root or to the directory's owner, because another user could lead root to any
/// directory of the machine. Returns -1 with errno, EPERM for such a link.
int epitaph_trusted_path_open(const char *path, bool makes_missing);

// Makes room for one more dump under the caps.

/// Removes dumps of this bundle until there is room for one more under the caps, and counts them.
/// It leaves files of other bundles and of living owners alone.
epitaph_status epitaph_pending_make_room(const epitaph_options *options, epitaph_error *error);

// The files that forked children of this process were given, kept from piling up: a child that has
// given up its rights cannot remove its own. docs/decisions/workers-of-another-user.md. Everything
// here runs in the middle of fork(3), perhaps in a signal handler: it allocates no memory and waits
// for nothing.

/// Checks a few of the files: removes those whose children have ended without a crash, and seals
/// those with one.
void epitaph_handed_out_look_after(void);

/// Reserves an entry for one more and chooses its id. Returns the entry's number, or -1 if there
/// are too many or no random numbers.
int epitaph_handed_out_reserve(uint8_t uuid[16]);
/// The child was made, or could not be: its file may exist from now on.
void epitaph_handed_out_begin(int place);

/// Forgets all of them: in a child they are its parent's.
void epitaph_handed_out_forget(void);

// The provisional dump as the rest of this library throws it away.

/// What epitaph_provisional_dump_discard does. In a shared library a call of that would go through
/// the loader.
void epitaph_provisional_dump_drop(void);

// Live dumps: what a program asks for, and how the rest of this library asks.

/// What a program asks for, checked; its texts are the caller's still.
epitaph_status epitaph_live_request_read(const epitaph_live_request *given,
                                         epitaph_report_request *request, epitaph_error *error);

/// What epitaph_live_dump_request does. In a shared library a call of that would go through the
/// loader.
epitaph_status epitaph_live_dump_make(const epitaph_live_request *given, char *name,
                                      epitaph_error *error);

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
