// SPDX-License-Identifier: Apache-2.0
//
// The functions of libc by which a daemon gives up its rights, or what it can reach with them. Ours
// only prepare for it: they call libc's with the same arguments and return what it returns. A
// program that does it by other means (a system call instruction of its own) is not noticed.
//
// Not in the archive: a static program would have no other setuid(2).

#include "start/forks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef int (*one_function)(uid_t);
typedef int (*two_function)(uid_t, uid_t);
typedef int (*three_function)(uid_t, uid_t, uid_t);
typedef int (*path_function)(const char *);
typedef int (*pointers_function)(void *, const void *);

static struct {
    one_function setuid;
    one_function seteuid;
    two_function setreuid;
    three_function setresuid;
    path_function chroot;
    pointers_function capset;
} real;

/// A library that was loaded after libc, by dlopen(3), is passed by.
static bool are_ours_called(void) {
    void *first = dlsym(RTLD_DEFAULT, "setresuid");
    return first != NULL && first != (void *)real.setresuid;
}

// Before main: dlsym(3) takes the loader's lock.
__attribute__((constructor)) static void find(void) {
    real.setuid = (one_function)dlsym(RTLD_NEXT, "setuid");
    real.seteuid = (one_function)dlsym(RTLD_NEXT, "seteuid");
    real.setreuid = (two_function)dlsym(RTLD_NEXT, "setreuid");
    real.chroot = (path_function)dlsym(RTLD_NEXT, "chroot");
    real.capset = (pointers_function)dlsym(RTLD_NEXT, "capset");
    real.setresuid = (three_function)dlsym(RTLD_NEXT, "setresuid");
    if (are_ours_called()) epitaph_rights_changes_are_told();
}

/// A constructor that runs before ours may be who calls.
static void find_once(void) {
    if (real.setresuid == NULL) find();
}

static void begin(uid_t effective, epitaph_rights_change change) {
    find_once();
    // -1 leaves it as it is, setresuid(2).
    if (effective != 0 && effective != (uid_t)-1) epitaph_rights_change_prepare(change);
}

static int refuse(void) {
    errno = ENOSYS;
    return -1;
}

__attribute__((visibility("default"))) int setuid(uid_t user) {
    begin(user, EPITAPH_USER_CHANGES);
    return real.setuid == NULL ? refuse() : real.setuid(user);
}

__attribute__((visibility("default"))) int seteuid(uid_t user) {
    begin(user, EPITAPH_RIGHTS_ARE_SET_ASIDE);
    return real.seteuid == NULL ? refuse() : real.seteuid(user);
}

__attribute__((visibility("default"))) int setreuid(uid_t user, uid_t effective) {
    begin(effective, EPITAPH_USER_CHANGES);
    return real.setreuid == NULL ? refuse() : real.setreuid(user, effective);
}

__attribute__((visibility("default"))) int setresuid(uid_t user, uid_t effective, uid_t saved) {
    begin(effective, EPITAPH_USER_CHANGES);
    return real.setresuid == NULL ? refuse() : real.setresuid(user, effective, saved);
}

__attribute__((visibility("default"))) int chroot(const char *path) {
    find_once();
    epitaph_rights_change_prepare(EPITAPH_REACH_CHANGES);
    return real.chroot == NULL ? refuse() : real.chroot(path);
}

__attribute__((visibility("default"))) int capset(void *header, const void *data) {
    find_once();
    epitaph_rights_change_prepare(EPITAPH_RIGHTS_ARE_SET_ASIDE);
    return real.capset == NULL ? refuse() : real.capset(header, data);
}
