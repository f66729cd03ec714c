// SPDX-License-Identifier: Apache-2.0
//
// Opens the database directory and its pending-dumps, and makes them if they are missing.

#include "files/database_directory.h"

#include "base/error.h"
#include "epitaph.h"
#include "epitaph_owned_file.h"
#include "epitaph_process_facts.h"
#include "epitaph_settings.h"
#include "files/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char pending_name[] = "pending-dumps";

/// Opens the directory `name` in `parent`; makes it with mode 0700 if it is missing. Inside the
/// database, where only Epitaph makes files, a symbolic link in its place is refused. O_PATH: see
/// `epitaph_pending_directory`.
static int open_directory(int parent, const char *name, int extra_flags) {
    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) {
        // On a read-only disk mkdir(2) may fail with EROFS even if the directory exists.
        int reason = errno;
        if (faccessat(parent, name, F_OK, 0) != 0) {
            errno = reason;
            return -1;
        }
    }
    return openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC | extra_flags);
}

/// The path of an open directory as the kernel knows it: without links and independent of the
/// working directory. Without /proc `path` is used.
static void find_path(int directory, const char *path, char *found) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, found, EPITAPH_PATH_SIZE - 1);
    if (length > 0 && found[0] == '/') {
        found[length] = 0;
    } else {
        snprintf(found, EPITAPH_PATH_SIZE, "%s/%s", path, pending_name);
    }
}

/// What is made in a database belongs to the database's owner, whichever user makes it; otherwise
/// the owner could do nothing with it. fchown(2) is used on what was just made, and on a directory
/// of ours in a database of another user. Taking the owner's file system rights for a moment with
/// setfsuid(2) would cost the process its core dumps and its parent-death signal, because the
/// kernel drops both.
static void adopt_owner(int database, int pending) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    struct stat owner, present;
    settings->has_other_owner = false;
    if (geteuid() != 0 || fstat(database, &owner) != 0 || fstat(pending, &present) != 0) return;
    if (owner.st_uid != 0 && present.st_uid == 0) {
        // An O_PATH descriptor does not work with fchown(2). It is a directory, whatever its name
        // is by now.
        if (fchownat(pending, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH) != 0) return;
        fstat(pending, &present);
    }
    settings->has_other_owner = present.st_uid != 0;
    settings->directory_uid = present.st_uid;
    settings->directory_gid = present.st_gid;
}

epitaph_status epitaph_database_open(const char *path, epitaph_error *error) {
    int database =
        geteuid() == 0 ? epitaph_trusted_path_open(path) : open_directory(AT_FDCWD, path, 0);
    if (database < 0 && errno == EPERM && geteuid() == 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, errno,
                                 "a symbolic link in %s is another user's than the directory it "
                                 "leads to",
                                 path);
    }
    if (database < 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, errno,
                                 "cannot open the database directory %s", path);
    }
    int pending = open_directory(database, pending_name, O_NOFOLLOW);
    int reason = errno;
    if (pending >= 0) adopt_owner(database, pending);
    close(database);
    if (pending >= 0) {
        find_path(pending, path, epitaph_capture_settings_now.directory_path);
        long result = epitaph_owned_file_adopt(&epitaph_capture_settings_now.directory, pending);
        if (result == 0) return EPITAPH_OK;
        reason = (int)-result;
    }
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, reason, "cannot open the directory %s/%s",
                             path, pending_name);
}

/// Enough for a launch record.
static const rlim_t least_file_bytes = 64 << 10;

bool epitaph_may_write_files(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= least_file_bytes;
}
