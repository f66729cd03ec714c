// SPDX-License-Identifier: Apache-2.0
//
// The pending directory, reserved descriptors, and the count of pending dumps.

#include "epitaph_file.h"

#include "epitaph_settings.h"
#include "system/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

// O_PATH is enough to make, rename and remove names with the process's rights. A child that gives
// up its rights inherits the descriptor but cannot list the directory or open its files with it.
int epitaph_pending_directory(void) {
    epitaph_owned_file *directory = &epitaph_capture_settings_now.directory;
    if (epitaph_owned_file_prove(directory)) return directory->fd;
    long fd = epitaph_sys_openat(AT_FDCWD, epitaph_capture_settings_now.directory_path,
                                 O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return (int)fd;
    epitaph_owned_file found;
    long result = epitaph_owned_file_adopt(&found, (int)fd);
    if (result < 0) return (int)result;
    // Another directory may be there now, or the path may differ after a chroot.
    result = epitaph_owned_file_take_back(directory, &found);
    return result < 0 ? (int)result : directory->fd;
}

void epitaph_pending_set_rights(int fd, bool is_read_only) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->has_other_owner) {
        epitaph_sys_fchown(fd, settings->directory_uid, settings->directory_gid);
    }
    // Last, so that no wrong group can read the file. umask would cut the mode of openat(2).
    if (settings->file_mode != 0) {
        epitaph_sys_fchmod(fd, is_read_only ? settings->file_mode & ~0222u : settings->file_mode);
    }
}

void epitaph_reserve_descriptors(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    int directory = epitaph_pending_directory();
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++) {
        epitaph_owned_file *reserved = &settings->reserved_files[i];
        if (reserved->fd >= 0) continue;
        if (directory >= 0) epitaph_owned_file_duplicate(reserved, directory);
    }
}

void epitaph_release_descriptors(void) {
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++)
        epitaph_owned_file_close(&epitaph_capture_settings_now.reserved_files[i]);
}

// A process arms its file at quiet time, when old dumps can make room
// (CEpitaph/files/pending_cap.c). Forked children that crash, and survived crashes, make files at
// crash time, when nothing is removed: there, beyond the cap no dump is begun.

enum {
    LISTING_SIZE = 2048,
    /// Most stay behind when their children have ended, until a sweep.
    CHILDRENS_FILES = 64,
};

/// Of our bundle's.
typedef struct file_counts {
    uint32_t sealed;
    uint32_t childrens;
} file_counts;

static void count_in(const uint8_t *listing, size_t bytes, file_counts *counts) {
    epitaph_directory_entries entries = epitaph_directory_entries_of(listing, bytes);
    const char *name;
    size_t limit;
    while ((name = epitaph_directory_entries_next(&entries, &limit)) != NULL) {
        bool is_locked;
        const char *uuid =
            epitaph_dump_name_uuid(name, limit, epitaph_capture_settings_now.bundle_id, &is_locked);
        if (uuid == NULL) continue;
        if (!is_locked) counts->sealed++;
        if (is_locked && epitaph_uuid_text_is_handed_out(uuid)) counts->childrens++;
    }
}

// A crash must not be lost because a directory cannot be listed.
static file_counts count_files(void) {
    _Alignas(8) uint8_t listing[LISTING_SIZE];
    file_counts counts;
    epitaph_bytes_zero(&counts, sizeof counts);
    int directory = epitaph_pending_directory();
    if (directory < 0) return counts;
    long fd = epitaph_sys_openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return counts;
    long got;
    while (counts.sealed < epitaph_capture_settings_now.limits.pending_dumps &&
           (got = epitaph_sys_getdents((int)fd, listing, sizeof listing)) > 0) {
        count_in(listing, (size_t)got, &counts);
    }
    epitaph_sys_close((int)fd);
    return counts;
}

bool epitaph_pending_has_room(void) {
    return count_files().sealed < epitaph_capture_settings_now.limits.pending_dumps;
}

bool epitaph_pending_has_room_for_child(void) {
    file_counts counts = count_files();
    return counts.sealed < epitaph_capture_settings_now.limits.pending_dumps &&
           counts.childrens < CHILDRENS_FILES;
}

/// `<bundle-id>.dropped` has one byte per dropped dump.
static void make_dropped_name(char name[EPITAPH_DUMP_NAME_SIZE]) {
    size_t length = 0;
    epitaph_text_append(name, EPITAPH_BUNDLE_ID_SIZE, &length,
                        epitaph_capture_settings_now.bundle_id);
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, ".dropped");
}

/// Rejects files that we did not put there: a pipe, on which a write would wait, or a hard link to
/// a file that the directory's owner may not write to.
static bool is_plain_file(int fd) {
    struct stat status;
    return epitaph_sys_fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
}

long epitaph_pending_open_dropped(int directory) {
    const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    char name[EPITAPH_DUMP_NAME_SIZE];
    make_dropped_name(name);
    long fd = epitaph_sys_openat(directory, name, flags | O_CREAT | O_EXCL, 0600);
    if (fd >= 0) {
        epitaph_pending_set_rights((int)fd, false);
        return fd;
    }
    if (fd == -EEXIST) fd = epitaph_sys_openat(directory, name, flags, 0);
    if (fd < 0 || is_plain_file((int)fd)) return fd;
    epitaph_sys_close((int)fd);
    return -EPERM;
}

void epitaph_pending_note_dropped(void) {
    int directory = epitaph_pending_directory();
    if (directory < 0) return;
    long fd = epitaph_pending_open_dropped(directory);
    if (fd < 0) return;
    epitaph_sys_write((int)fd, ".", 1);
    epitaph_sys_close((int)fd);
}
