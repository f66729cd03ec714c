// SPDX-License-Identifier: Apache-2.0
//
// Opens the database directory and the one in which dumps wait, making missing ones.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const char pending_name[] = "pending-dumps";

/// Opens `name` in `parent`, creating it with mode 0700 if missing. Pass O_NOFOLLOW inside the
/// database, where only Epitaph creates files. O_PATH: see `epitaph_pending_directory`.
static int open_directory(int parent, const char *name, int extra_flags) {
    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) {
        // On a read-only file system mkdir(2) may fail with EROFS although the directory exists.
        int reason = errno;
        if (faccessat(parent, name, F_OK, 0) != 0) {
            errno = reason;
            return -1;
        }
    }
    return openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC | extra_flags);
}

static int open_named(const char *path, bool makes_missing) {
    if (geteuid() == 0) return epitaph_trusted_path_open(path, makes_missing);
    if (makes_missing) return open_directory(AT_FDCWD, path, 0);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static epitaph_status cannot_open(const char *purpose, const char *path, int error_number,
                                  epitaph_error *error) {
    if (error_number == EPERM && geteuid() == 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, error_number,
                                 "a symbolic link in %s is another user's than the directory it "
                                 "leads to",
                                 path);
    }
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, error_number,
                             "cannot open the %s directory %s", purpose, path);
}

/// Stores the kernel's path of an open directory, without links and independent of the working
/// directory. Without /proc, stores `path` and `name`.
static void find_path(int directory, const char *path, const char *name, char *found) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, found, EPITAPH_PATH_SIZE - 1);
    if (length > 0 && found[0] == '/') {
        found[length] = 0;
    } else {
        snprintf(found, EPITAPH_PATH_SIZE, "%s%s%s", path, name[0] == 0 ? "" : "/", name);
    }
}

/// Root's new directories get the database's owner. Not by setfsuid(2), for which the kernel drops
/// core dumps and the parent-death signal.
static void adopt_owner(int database, int pending) {
    struct stat owner, present;
    if (geteuid() != 0 || fstat(database, &owner) != 0 || fstat(pending, &present) != 0) return;
    if (owner.st_uid != 0 && present.st_uid == 0) {
        // fchown(2) fails on an O_PATH descriptor. AT_EMPTY_PATH is immune to renames.
        fchownat(pending, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH);
    }
}

/// Files in the dump directory get its owner.
static void note_owner(int dumps) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    struct stat present;
    settings->has_other_owner = false;
    if (geteuid() != 0 || fstat(dumps, &present) != 0) return;
    settings->has_other_owner = present.st_uid != 0;
    settings->directory_uid = present.st_uid;
    settings->directory_gid = present.st_gid;
}

/// Takes ownership of the descriptor. `name` is empty for a directory with a path of its own.
static epitaph_status use_directory(int dumps, const char *path, const char *name,
                                    epitaph_error *error) {
    note_owner(dumps);
    find_path(dumps, path, name, epitaph_capture_settings_now.directory_path);
    long result = epitaph_owned_file_adopt(&epitaph_capture_settings_now.directory, dumps);
    if (result == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, (int)-result,
                             "cannot open the directory %s%s%s", path, name[0] == 0 ? "" : "/",
                             name);
}

static epitaph_status open_pending(int database, const char *path, epitaph_error *error) {
    int pending = open_directory(database, pending_name, O_NOFOLLOW);
    if (pending < 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, errno,
                                 "cannot open the directory %s/%s", path, pending_name);
    }
    adopt_owner(database, pending);
    return use_directory(pending, path, pending_name, error);
}

// A user who can write to the directory could replace a dump, and its owner can let others write.
const char *epitaph_crash_directory_objection(int database, int dumps) {
    struct stat owner, present;
    if (fstat(database, &owner) != 0 || fstat(dumps, &present) != 0) return "it cannot be examined";
    if (present.st_uid != owner.st_uid) return "it belongs to another user than the database";
    if ((present.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
    return NULL;
}

static epitaph_status open_crash_directory(int database, const char *path, epitaph_error *error) {
    struct stat owner;
    // A directory created by root would have the wrong owner.
    bool is_own = fstat(database, &owner) == 0 && owner.st_uid == geteuid();
    int dumps = open_named(path, is_own);
    if (dumps < 0) return cannot_open("crash", path, errno, error);
    const char *reason = epitaph_crash_directory_objection(database, dumps);
    if (reason == NULL) return use_directory(dumps, path, "", error);
    close(dumps);
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, 0,
                             "dumps cannot wait in the crash directory %s: %s", path, reason);
}

epitaph_status epitaph_database_open(const epitaph_options *options, epitaph_error *error) {
    const char *path = options->database_path;
    int database = open_named(path, true);
    if (database < 0 && errno == ENOENT) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, ENOENT,
                                 "cannot open the database directory %s, which is only made in a "
                                 "directory that exists",
                                 path);
    }
    if (database < 0) return cannot_open("database", path, errno, error);
    epitaph_capture_settings_now.file_mode =
        options->crash_file_mode == 0600 ? 0 : options->crash_file_mode;
    epitaph_status status = options->crash_directory == NULL
                                ? open_pending(database, path, error)
                                : open_crash_directory(database, options->crash_directory, error);
    close(database);
    return status;
}

/// Enough for a launch record.
static const rlim_t least_file_bytes = 64 << 10;

bool epitaph_may_write_files(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= least_file_bytes;
}
