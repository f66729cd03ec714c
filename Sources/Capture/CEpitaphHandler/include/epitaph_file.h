// SPDX-License-Identifier: Apache-2.0
//
// Dump files and the directory in which they wait: their names, their life from arming to sealing,
// the marks of an end, and what is kept open for them. Internal to the package.

#ifndef EPITAPH_FILE_H
#define EPITAPH_FILE_H

#include "epitaph_dump_file_state.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

// The names of dump files: `<bundle-id>@<uuid>.locked`, and the same without `.locked`.

/// What a name ends with while its owner may live or write.
#define EPITAPH_LOCKED_ENDING ".locked"

enum {
    /// A UUID in the form of RFC 9562, 4, without a NUL.
    EPITAPH_UUID_TEXT_BYTES = 36,
};

/// ANY-TIME. A UUID as text in small letters, with a NUL, and the way back, which ignores what
/// follows; false for a text that is not one.
void epitaph_uuid_write(char text[EPITAPH_UUID_TEXT_BYTES + 1], const uint8_t uuid[16]);
bool epitaph_uuid_read(const char *text, uint8_t uuid[16]);

/// ANY-TIME. Makes a random UUID, RFC 4122, 4.4. Returns 0 or a negative errno.
long epitaph_uuid_make(uint8_t uuid[16]);

/// ANY-TIME. The same for the file of a forked child of a process that may give up its rights:
/// version 8 marks such a file for all readers. The directory's owner chooses its name, whatever
/// the child writes into the file.
long epitaph_dump_uuid_make_handed_out(uint8_t uuid[16]);
bool epitaph_dump_uuid_is_handed_out(const uint8_t uuid[16]);
bool epitaph_uuid_text_is_handed_out(const char *text);

/// ANY-TIME. The name of a locked file of this bundle, and the sealed one; false when `locked` is
/// too short for one.
void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);
bool epitaph_dump_name_seal(char sealed[EPITAPH_DUMP_NAME_SIZE],
                            const char locked[EPITAPH_DUMP_NAME_SIZE]);
/// ANY-TIME. Where the UUID is in `name`, which has at most `limit` bytes, if that is the name of a
/// dump file of the bundle; otherwise NULL.
const char *epitaph_dump_name_uuid(const char *name, size_t limit, const char *bundle_id,
                                   bool *is_locked);
/// ANY-TIME. `<bundle-id>@<uuid>.breadcrumbs`; false when there is no room for it.
bool epitaph_dump_name_of_breadcrumbs(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);

// A dump file and its life: armed, taken by a crash or marked at a clean end, sealed.

/// ANY-TIME. A descriptor of the file that was just proven, opened again by its name if the program
/// has closed it. A negative errno if the file cannot be reached.
int epitaph_dump_file_descriptor(epitaph_dump_file *file);
/// ANY-TIME. Whether the name is gone from the directory, so that anything written now would be
/// lost.
bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file);
/// ANY-TIME. Removes `.locked` from the name and closes the file; on a negative errno it stays
/// locked.
long epitaph_dump_file_seal(epitaph_dump_file *file);
/// ANY-TIME. Removes a file without a capture in it.
void epitaph_dump_file_discard(epitaph_dump_file *file);
/// ANY-TIME. Closes the file and unmaps its head; it stays on disk as it is.
void epitaph_dump_file_close(epitaph_dump_file *file);
/// ANY-TIME. Takes an armed file for a crash; false if another thread has it or there is none.
bool epitaph_dump_file_take(epitaph_dump_file *file);

// Makes dump files, armed for a crash or for a capture that writes at once.

/// ANY-TIME. Creates the file the settings keep for a crash: locked, with a fresh name in the
/// pending directory. Takes its record lock, reserves its blocks, maps its head, writes the launch
/// record and publishes the name. Returns 0 or a negative errno, in which case nothing is left
/// behind.
long epitaph_dump_file_arm(void);
/// ANY-TIME. The same in a forked child, under a name chosen by its parent.
long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]);
/// ANY-TIME. A separate file that is written at once, without a head.
long epitaph_dump_file_create_headless(epitaph_dump_file *file);
/// ANY-TIME. The same under a name chosen by the caller, without a lock and without reserved
/// blocks. The name has no `.locked`, so it is never sealed. `directory` stays the caller's.
long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name);
/// QUIET-TIME. Called before a fork whose child cannot make a file because the parent's rights are
/// given up: while the child has its descriptor, the parent's file does not count as abandoned.
void epitaph_dump_file_bequeath(const epitaph_dump_file *file);
/// ANY-TIME. Takes over a parent's file if the parent has ended and it contains no crash. It then
/// contains only a launch record. Returns a negative errno if that is not possible.
long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents);

// What a process that ends writes into its dump file, so that the next launch can tell how it
// ended.

/// ANY-TIME. Records that the process ended well, at `time_ns` by CLOCK_REALTIME. With a head it
/// makes no system call. The file stays locked: if the process crashes after all, the crash
/// overwrites the mark. In `displaced_signals`, bit n - 1 is set if signal n had another handler
/// than ours.
void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals);

/// CRASH-TIME. Writes down that `signal` ends the process. The caller has proven that the file is
/// this process's. Does nothing where a crash has the file, or it is marked already.
void epitaph_dump_file_mark_signal(epitaph_dump_file *file, int signal, const siginfo_t *info);

/// QUIET-TIME. Notes in the launch record of the armed file that memory was short.
void epitaph_dump_file_note_memory_warning(epitaph_dump_file *file);

// The directory of pending dumps.

/// ANY-TIME. A descriptor of the directory of pending dumps that was just proven, opened again by
/// its path if the program has closed it. A negative errno if it cannot be reached: removed, or
/// behind a chroot(2). The settings own the descriptor.
int epitaph_pending_directory(void);

/// ANY-TIME. Gives a file that was just made in the pending directory to the directory's owner, if
/// that is another user, and lets the directory's group read it, if the program wants that.
/// `is_read_only`: nobody may open it for writing.
void epitaph_pending_set_rights(int fd, bool is_read_only);

// How many dumps wait in the pending directory, and how many were dropped for lack of room.

/// ANY-TIME. Whether fewer sealed dumps of this bundle are waiting than may wait.
bool epitaph_pending_has_room(void);
/// ANY-TIME. A descriptor for appending to the file that counts dropped dumps, which is made if it
/// is missing; a negative errno. Never opens anything else with that name, such as a pipe.
long epitaph_pending_open_dropped(int directory);
/// ANY-TIME. Counts a dump that was not written because there was no room.
void epitaph_pending_note_dropped(void);

// Descriptors held in reserve, so that a process with a full descriptor table can open files while
// it dies.

/// ANY-TIME. Opens the descriptors held in reserve; those that cannot be opened are -1.
void epitaph_reserve_descriptors(void);
/// ANY-TIME. Closes them.
void epitaph_release_descriptors(void);

// The breadcrumb file made, and left.

/// QUIET-TIME. Makes a breadcrumb file of `bytes` in the pending directory, whose name has `uuid`,
/// and has breadcrumbs written there. Returns 0 or a negative errno, -ENOTSUP on a file system that
/// does not store in place: then there is none. A process has one at a time.
long epitaph_breadcrumb_file_make(size_t bytes, const uint8_t uuid[16]);

/// QUIET-TIME. No breadcrumbs are written from now on. The file stays, and its mapping, for a
/// thread may be writing just now.
void epitaph_breadcrumb_file_leave(void);

/// QUIET-TIME. The same for a file that nobody should find: its name is removed.
void epitaph_breadcrumb_file_discard(void);

#pragma GCC visibility pop

#endif
