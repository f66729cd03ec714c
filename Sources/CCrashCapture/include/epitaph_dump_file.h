// SPDX-License-Identifier: Apache-2.0
//
// A dump file and its life: made and armed, taken by a crash, or marked at a clean end; and the
// directory it is in. Internal to the package.

#ifndef EPITAPH_DUMP_FILE_H
#define EPITAPH_DUMP_FILE_H

#include "epitaph_owned_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// bundle id, `@`, uuid, `.locked` and NUL within NAME_MAX.
    EPITAPH_DUMP_NAME_SIZE = 256,
    EPITAPH_BUNDLE_ID_SIZE = 256 - 36 - 1 - 7,
};

/// Who may write into a dump file. Changed by compare-and-swap: a crash and the end of the process
/// may come at the same moment.
typedef enum epitaph_dump_file_state {
    EPITAPH_FILE_CLOSED,
    /// A crash may take it.
    EPITAPH_FILE_ARMED,
    /// The mark of a clean end is being stored.
    EPITAPH_FILE_MARKING,
    /// It has the mark; a crash that comes after all may take it.
    EPITAPH_FILE_MARKED,
    /// A crash has it.
    EPITAPH_FILE_TAKEN,
    /// It holds a crash that could only be stored, and that the program lives on after; the next
    /// crash takes its place.
    EPITAPH_FILE_STORED,
} epitaph_dump_file_state;

/// A dump file: its descriptor, its name while it is locked, and its head.
typedef struct epitaph_dump_file {
    epitaph_owned_file file;
    /// An `epitaph_dump_file_state`.
    uint32_t state;
    /// Its own directory where it is not among the pending dumps; otherwise `fd` is -1.
    epitaph_owned_file directory;
    /// The process that armed it; a forked child must leave it alone.
    int32_t owner_pid;
    /// Size of the launch record.
    uint64_t launch_record_bytes;
    /// The first bytes of the file, mapped, docs/dump-format.md; NULL when there is no head. Not in
    /// a forked child: it has no such memory.
    uint8_t *head;
    uint32_t head_bytes;
    uint8_t uuid[16];
    char locked_name[EPITAPH_DUMP_NAME_SIZE];
} epitaph_dump_file;

/// ANY-TIME. Makes a random UUID, RFC 4122, 4.4. Returns 0 or a negative errno.
long epitaph_uuid_make(uint8_t uuid[16]);

/// ANY-TIME. The same for the file of a forked child of a process that may give up its rights: its
/// version is 8, by which everybody knows such a file. Its name is its directory's owner's to give,
/// whatever the child writes into the file.
long epitaph_dump_uuid_make_handed_out(uint8_t uuid[16]);
bool epitaph_dump_uuid_is_handed_out(const uint8_t uuid[16]);

/// ANY-TIME. The name of a locked file of this bundle, and the sealed one; false when `locked` is
/// too short for one.
void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);
bool epitaph_dump_name_seal(char sealed[EPITAPH_DUMP_NAME_SIZE],
                            const char locked[EPITAPH_DUMP_NAME_SIZE]);

/// ANY-TIME. Creates the file the settings keep for a crash: locked, with a fresh name in the
/// pending directory. Takes its record lock, reserves its blocks, maps its head, writes the launch
/// record and publishes the name. Returns 0 or a negative errno, in which case nothing is left
/// behind.
long epitaph_dump_file_arm(void);
/// ANY-TIME. The same in a forked child, under a name that its parent knows.
long epitaph_dump_file_arm_handed_out(const uint8_t uuid[16]);
/// ANY-TIME. A file of its own that is written at once: without a head.
long epitaph_dump_file_create_headless(epitaph_dump_file *file);
/// ANY-TIME. The same under a name of the caller's, without a lock and without reserved blocks. The
/// name has no `.locked` to lose, so it is never sealed. `directory` stays the caller's.
long epitaph_dump_file_create_named(epitaph_dump_file *file, int directory, const char *name);
/// QUIET-TIME. Before a fork whose child may make no file, as its parent may make none any more:
/// the parent's is not taken for given up while the child has its descriptor.
void epitaph_dump_file_bequeath(const epitaph_dump_file *file);
/// ANY-TIME. Makes a parent's file one's own if the parent has ended, and nothing of a crash is in
/// it. It is empty then but for a launch record. A negative errno when it is not to be had.
long epitaph_dump_file_inherit(epitaph_dump_file *file, const epitaph_dump_file *parents);
/// ANY-TIME. A descriptor of the file that was proven just now: opened again by its name if the
/// program has closed it. A negative errno when the file is out of reach.
int epitaph_dump_file_descriptor(epitaph_dump_file *file);
/// ANY-TIME. Whether the name is gone from the directory: what is written now would be lost.
bool epitaph_dump_file_is_unlinked(epitaph_dump_file *file);
/// ANY-TIME. Takes the name's `.locked` away and closes the file; a negative errno leaves it
/// locked.
long epitaph_dump_file_seal(epitaph_dump_file *file);
/// ANY-TIME. Removes a file nothing was captured in.
void epitaph_dump_file_discard(epitaph_dump_file *file);
/// ANY-TIME. Closes the file and unmaps its head; it stays on disk as it is.
void epitaph_dump_file_close(epitaph_dump_file *file);
/// QUIET-TIME. In a forked child: closes what it has inherited of its parent's files, but for the
/// armed one if it may become its heir.
void epitaph_forked_child_leave_files(bool is_heir);
/// ANY-TIME. Takes an armed file for a crash; false when somebody else has it or there is none.
bool epitaph_dump_file_take(epitaph_dump_file *file);

/// ANY-TIME. Writes down that the process ended well, at `time_ns` by CLOCK_REALTIME. With a head
/// it makes no system call. The file stays locked: a crash that comes after all is written over the
/// mark. `displaced_signals`, bit n - 1 for signal n, had got other handlers than ours.
void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals);

/// ANY-TIME. Whether there are fewer sealed dumps of this bundle than may wait.
bool epitaph_pending_has_room(void);
/// ANY-TIME. A descriptor for appending to the file that counts dropped dumps, made if it is
/// missing; a negative errno. Nothing that somebody else put there in its place.
long epitaph_pending_open_dropped(int directory);
/// ANY-TIME. Makes a file that was just made in the pending directory its owner's, if that is not
/// us.
void epitaph_pending_give_to_owner(int fd);
/// ANY-TIME. Counts a dump that was not written because there was no room.
void epitaph_pending_note_dropped(void);
/// ANY-TIME. `<bundle-id>.dropped`, the file that has one byte for each dump that was dropped.
void epitaph_pending_dropped_name(char name[EPITAPH_DUMP_NAME_SIZE]);

#pragma GCC visibility pop

#endif
