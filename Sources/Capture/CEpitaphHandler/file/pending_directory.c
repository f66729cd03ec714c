// SPDX-License-Identifier: Apache-2.0
//
// The directory of pending dumps, proven before each use and opened again if its descriptor is
// gone.

#include "epitaph_file.h"

#include "epitaph_settings.h"
#include "system/sys.h"

#include <fcntl.h>

// O_PATH is enough to make, rename and remove names in it with the rights of the calling process. A
// child that gives up its rights inherits the descriptor, but with it can neither list the
// directory nor open its files.
int epitaph_pending_directory(void) {
    epitaph_owned_file *directory = &epitaph_capture_settings_now.directory;
    if (epitaph_owned_file_prove(directory)) return directory->fd;
    long fd = epitaph_sys_openat(AT_FDCWD, epitaph_capture_settings_now.directory_path,
                                 O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return (int)fd;
    epitaph_owned_file found;
    long result = epitaph_owned_file_adopt(&found, (int)fd);
    if (result < 0) return (int)result;
    // Another directory may be there by now, or the path may mean another one after a chroot.
    result = epitaph_owned_file_take_back(directory, &found);
    return result < 0 ? (int)result : directory->fd;
}

void epitaph_pending_set_rights(int fd, bool is_read_only) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->has_other_owner) {
        epitaph_sys_fchown(fd, settings->directory_uid, settings->directory_gid);
    }
    // Last, so that no group can read the file before it is the right one. The mode that openat(2)
    // takes would be cut by the program's umask.
    if (settings->file_mode != 0) {
        epitaph_sys_fchmod(fd, is_read_only ? settings->file_mode & ~0222u : settings->file_mode);
    }
}
