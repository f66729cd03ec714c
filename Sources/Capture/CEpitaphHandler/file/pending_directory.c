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
        if (directory >= 0) epitaph_owned_file_duplicate_low(reserved, directory);
    }
}

void epitaph_release_descriptors(void) {
    for (int i = 0; i < EPITAPH_RESERVED_FD_COUNT; i++)
        epitaph_owned_file_close(&epitaph_capture_settings_now.reserved_files[i]);
}

// A process arms its file at quiet time, when old dumps can make room
// (CEpitaph/files/pending_cap.c). Forked children that crash, and survived crashes, make files at
// crash time, when nothing is removed: there, beyond the cap no dump is begun.

enum { LISTING_SIZE = 2048 };

static bool is_sealed_dump_of_ours(const char *name, size_t limit) {
    const char *bundle_id = epitaph_capture_settings_now.bundle_id;
    bool is_locked;
    return epitaph_dump_name_uuid(name, limit, bundle_id, &is_locked) != NULL && !is_locked;
}

static uint32_t count_in(const uint8_t *listing, size_t bytes) {
    epitaph_directory_entries entries = epitaph_directory_entries_of(listing, bytes);
    uint32_t count = 0;
    const char *name;
    size_t limit;
    while ((name = epitaph_directory_entries_next(&entries, &limit)) != NULL) {
        if (is_sealed_dump_of_ours(name, limit)) count++;
    }
    return count;
}

bool epitaph_pending_has_room(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    _Alignas(8) uint8_t listing[LISTING_SIZE];
    int directory = epitaph_pending_directory();
    if (directory < 0) return true;
    long fd = epitaph_sys_openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    // A crash must not be lost because a directory cannot be listed.
    if (fd < 0) return true;
    uint32_t count = 0;
    long got;
    while (count < settings->limits.pending_dumps &&
           (got = epitaph_sys_getdents((int)fd, listing, sizeof listing)) > 0) {
        count += count_in(listing, (size_t)got);
    }
    epitaph_sys_close((int)fd);
    return count < settings->limits.pending_dumps;
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
