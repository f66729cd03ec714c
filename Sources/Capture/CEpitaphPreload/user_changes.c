// SPDX-License-Identifier: Apache-2.0
//
// The functions of libc by which a daemon gives up its rights. Ours only prepare for it: they call
// libc's with the same arguments and return what it returns. A program that does it by other means
// (a system call of its own, capset(2)) is not noticed.
//
// Not in the library that programs link: a static program would have no other setuid(2).

#include "start/forks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

typedef int (*one_function)(uid_t);
typedef int (*two_function)(uid_t, uid_t);
typedef int (*three_function)(uid_t, uid_t, uid_t);

static struct {
    one_function setuid;
    two_function setreuid;
    three_function setresuid;
} real;

// Before main: dlsym(3) takes the loader's lock.
__attribute__((constructor)) static void find(void) {
    real.setuid = (one_function)dlsym(RTLD_NEXT, "setuid");
    real.setreuid = (two_function)dlsym(RTLD_NEXT, "setreuid");
    real.setresuid = (three_function)dlsym(RTLD_NEXT, "setresuid");
}

/// A constructor that runs before ours may be who calls.
static void begin(uid_t effective) {
    if (real.setresuid == NULL) find();
    // -1 leaves it as it is, setresuid(2).
    if (effective != 0 && effective != (uid_t)-1) epitaph_user_change_prepare();
}

static int refuse(void) {
    errno = ENOSYS;
    return -1;
}

__attribute__((visibility("default"))) int setuid(uid_t user) {
    begin(user);
    return real.setuid == NULL ? refuse() : real.setuid(user);
}

__attribute__((visibility("default"))) int setreuid(uid_t user, uid_t effective) {
    begin(effective);
    return real.setreuid == NULL ? refuse() : real.setreuid(user, effective);
}

__attribute__((visibility("default"))) int setresuid(uid_t user, uid_t effective, uid_t saved) {
    begin(effective);
    return real.setresuid == NULL ? refuse() : real.setresuid(user, effective, saved);
}
