// SPDX-License-Identifier: Apache-2.0
//
// Walks a path component by component, so that what was checked is what is opened.

#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// The kernel's limit of links, path_resolution(7).
enum { LINK_LIMIT = 40, ROOT = 0 };

static const uid_t nobody_leads = (uid_t)-1;

typedef struct walk {
    /// AT_FDCWD before the first component.
    int directory;
    /// Before the first component of an absolute path.
    bool is_at_root;
    char rest[PATH_MAX];
    /// Owner of the links followed, except root's.
    uid_t leader;
    int link_count;
    bool makes_missing;
} walk;

static void go_to(walk *walk, int directory) {
    if (walk->directory >= 0) close(walk->directory);
    walk->directory = directory;
    walk->is_at_root = false;
}

static int fail(walk *walk, int error_number) {
    go_to(walk, AT_FDCWD);
    errno = error_number;
    return -1;
}

/// An absolute link target restarts at the root.
static void begin(walk *walk) {
    if (walk->rest[0] != '/') return;
    go_to(walk, AT_FDCWD);
    walk->is_at_root = true;
}

static bool next_name(walk *walk, char name[PATH_MAX]) {
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(start, "/");
    snprintf(name, PATH_MAX, "%s%.*s", walk->is_at_root ? "/" : "", (int)length, start);
    const char *next = start + length;
    next += strspn(next, "/");
    memmove(walk->rest, next, strlen(next) + 1);
    return length > 0;
}

static int follow(walk *walk, const char *name) {
    char target[PATH_MAX], rest[PATH_MAX];
    struct stat status;
    int link = openat(walk->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return errno;
    bool is_link = fstat(link, &status) == 0 && S_ISLNK(status.st_mode);
    ssize_t length = is_link ? readlinkat(link, "", target, sizeof target - 1) : -1;
    close(link);
    if (!is_link) return ENOTDIR;
    if (length <= 0 || ++walk->link_count > LINK_LIMIT) return ELOOP;
    target[length] = 0;
    if (status.st_uid != ROOT) {
        if (walk->leader != nobody_leads && walk->leader != status.st_uid) return EPERM;
        walk->leader = status.st_uid;
    }
    int count = snprintf(rest, sizeof rest, "%s/%s", target, walk->rest);
    if (count < 0 || (size_t)count >= sizeof rest) return ENAMETOOLONG;
    memcpy(walk->rest, rest, (size_t)count + 1);
    return 0;
}

static int step(walk *walk, const char *name) {
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int next = openat(walk->directory, name, flags);
    bool is_to_be_made = walk->makes_missing && walk->rest[0] == 0 && walk->leader == nobody_leads;
    if (next < 0 && errno == ENOENT && is_to_be_made) {
        if (mkdirat(walk->directory, name, 0700) != 0 && errno != EEXIST) return fail(walk, errno);
        next = openat(walk->directory, name, flags);
    }
    if (next >= 0) {
        go_to(walk, next);
        return 0;
    }
    // Errors of openat(2) with O_DIRECTORY for a link.
    int reason = errno == ENOTDIR || errno == ELOOP ? follow(walk, name) : errno;
    if (reason != 0) return fail(walk, reason);
    begin(walk);
    return 0;
}

int epitaph_trusted_path_open(const char *path, bool makes_missing) {
    walk walk = {.directory = AT_FDCWD, .leader = nobody_leads, .makes_missing = makes_missing};
    struct stat status;
    char name[PATH_MAX];
    if ((size_t)snprintf(walk.rest, sizeof walk.rest, "%s", path) >= sizeof walk.rest) {
        return fail(&walk, ENAMETOOLONG);
    }
    begin(&walk);
    while (next_name(&walk, name)) {
        if (step(&walk, name) != 0) return -1;
    }
    if (walk.directory < 0) go_to(&walk, open(walk.is_at_root ? "/" : ".", O_PATH | O_CLOEXEC));
    if (fstat(walk.directory, &status) != 0) return fail(&walk, errno);
    bool is_led = walk.leader != nobody_leads && walk.leader != status.st_uid;
    return is_led ? fail(&walk, EPERM) : walk.directory;
}
