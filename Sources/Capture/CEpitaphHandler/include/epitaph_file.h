// SPDX-License-Identifier: Apache-2.0
//
// Dump files, the pending directory and reserved descriptors. Internal to the package.

#ifndef EPITAPH_FILE_H
#define EPITAPH_FILE_H

#include "epitaph_dump_file_state.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

// Names of dump files: `<bundle-id>@<uuid>.locked`, and without `.locked` once sealed.

#define EPITAPH_LOCKED_ENDING ".locked"

enum {
    /// RFC 9562, section 4, without a NUL.
    EPITAPH_UUID_TEXT_BYTES = 36,
};

/// ANY-TIME. Converts a UUID to lower-case text with a NUL, and back. Reading ignores what follows
/// the UUID, and returns false if the text is not one.
void epitaph_uuid_write(char text[EPITAPH_UUID_TEXT_BYTES + 1], const uint8_t uuid[16]);
bool epitaph_uuid_read(const char *text, uint8_t uuid[16]);

/// ANY-TIME. Makes a random UUID, RFC 4122, 4.4. Returns 0 or a negative errno.
long epitaph_uuid_make(uint8_t uuid[16]);

/// ANY-TIME. The same with version 8, for a forked child of a process that may give up its rights.
/// It marks the file for all readers: the directory's owner chooses the name, not the child.
long epitaph_dump_uuid_make_handed_out(uint8_t uuid[16]);
bool epitaph_dump_uuid_is_handed_out(const uint8_t uuid[16]);
bool epitaph_uuid_text_is_handed_out(const char *text);

/// ANY-TIME. Locked and sealed name of a dump file of this bundle. False if `locked` is too short.
void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);
bool epitaph_dump_name_seal(char sealed[EPITAPH_DUMP_NAME_SIZE],
                            const char locked[EPITAPH_DUMP_NAME_SIZE]);
/// ANY-TIME. Finds the UUID in `name`, up to `limit` bytes; NULL if it is no dump of the bundle.
const char *epitaph_dump_name_uuid(const char *name, size_t limit, const char *bundle_id,
                                   bool *is_locked);
/// ANY-TIME. `<bundle-id>@<uuid>.breadcrumbs`; false if that is too long.
bool epitaph_dump_name_of_breadcrumbs(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);

// The life of a dump file: armed, taken by a crash or marked at a clean exit, sealed.

/// ANY-TIME. A descriptor just proven to be the file's, reopened by name if the program has closed
/// it. A negative errno if the file cannot be reached.
int epitaph_dump_file_descriptor(epitaph_dump_file *file);
/// ANY-TIME. Whether the name was removed, so that anything written would be lost.
bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file);
/// ANY-TIME. Removes `.locked` from the name and closes the file. It stays locked on an error.
long epitaph_dump_file_seal(epitaph_dump_file *file);
void epitaph_dump_file_discard(epitaph_dump_file *file);
void epitaph_dump_file_close(epitaph_dump_file *file);
/// ANY-TIME. Takes an armed file for a crash; false if another thread has it or there is none.
bool epitaph_dump_file_take(epitaph_dump_file *file);

/// ANY-TIME. Creates the armed file of the settings in the pending directory: locked, with a fresh
/// name. Takes its record lock, reserves its blocks, maps its head, writes the launch record and
/// publishes the name. Returns 0 or a negative errno; on failure nothing is left behind.
long epitaph_dump_file_arm(void);
/// ANY-TIME. The same in a forked child, under a name its parent chose.
long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]);
/// ANY-TIME. Creates a file that belongs to nobody yet and that heirs may take over. While one of
/// them has its descriptor it does not count as abandoned.
long epitaph_dump_file_create_spare(epitaph_dump_file *file);
/// ANY-TIME. Creates a separate file without a head, to be written at once.
long epitaph_dump_file_create_headless(epitaph_dump_file *file);
/// ANY-TIME. The same under the caller's name, without a lock and without reserved blocks. The name
/// has no `.locked`, so the file is never sealed. `directory` stays the caller's.
long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name);
/// ANY-TIME. Removes everything behind the head, or behind the launch record if there is no head,
/// and reserves the blocks again. False if the file cannot be reached.
bool epitaph_dump_file_empty(epitaph_dump_file *file);
/// QUIET-TIME. Call before a fork if the child cannot make a file because the process gave up its
/// rights. The parent's file does not count as abandoned while the child holds its descriptor.
void epitaph_dump_file_bequeath(const epitaph_dump_file *file);
/// ANY-TIME. Takes over a spare file, or the parent's if the parent has ended, that contains no
/// crash. It then contains only a launch record. Returns a negative errno if that is impossible.
long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents);

// Marks by which the next launch can tell how this process ended.

/// ANY-TIME. Marks a clean exit at `time_ns` (CLOCK_REALTIME). Makes no system call if there is a
/// head. The file stays locked; a later crash overwrites the mark. Bit n - 1 of `displaced_signals`
/// is set if signal n had another handler than ours.
void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals);

/// CRASH-TIME. Records that `signal` ends the process. The caller has proven that this process owns
/// the file. Does nothing if a crash has the file or it is already marked.
void epitaph_dump_file_mark_signal(epitaph_dump_file *file, int signal, const siginfo_t *info);

/// QUIET-TIME. Sets the memory warning in the armed file's launch record.
void epitaph_dump_file_note_memory_warning(epitaph_dump_file *file);

/// ANY-TIME. The settings' descriptor of the pending directory, just proven, and reopened by path
/// if the program has closed it. A negative errno if it was removed or is behind a chroot(2).
int epitaph_pending_directory(void);

/// ANY-TIME. Gives a new file to the directory's owner and makes it readable for its group, if
/// wanted. `is_read_only`: nobody may open it for writing.
void epitaph_pending_set_rights(int fd, bool is_read_only);

/// ANY-TIME. Whether the bundle has fewer sealed dumps than its limit.
bool epitaph_pending_has_room(void);
/// ANY-TIME. The same, and whether forked children of the bundle have few files yet.
bool epitaph_pending_has_room_for_child(void);
/// ANY-TIME. Opens the file that counts dropped dumps for appending, creating it if necessary.
/// Returns a descriptor or a negative errno. Refuses anything else of that name, such as a pipe.
long epitaph_pending_open_dropped(int directory);
void epitaph_pending_note_dropped(void);

// Reserved descriptors let a process with a full descriptor table open files while it dies.

/// ANY-TIME. Those that cannot be opened are -1.
void epitaph_reserve_descriptors(void);
void epitaph_release_descriptors(void);

/// QUIET-TIME. Makes a breadcrumb file of `bytes` in the pending directory, named by `uuid`, and
/// directs breadcrumbs to it. Returns 0 or a negative errno: -ENOTSUP on a file system that does
/// not store in place. A process has one file at a time.
long epitaph_breadcrumb_file_make(size_t bytes, const uint8_t uuid[16]);

/// QUIET-TIME. Directs no more breadcrumbs there. File and mapping stay: a thread may be writing.
void epitaph_breadcrumb_file_leave(void);

/// QUIET-TIME. The same, and removes the file's name.
void epitaph_breadcrumb_file_discard(void);

#pragma GCC visibility pop

#endif
