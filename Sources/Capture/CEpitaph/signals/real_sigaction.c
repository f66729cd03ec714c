// SPDX-License-Identifier: Apache-2.0
//
// Found before main, because dlsym(3) takes the dynamic linker's lock.

#include "signals/signals.h"

#include "base/base.h"

#include <errno.h>
#include <spawn.h>

typedef int (*sigaction_function)(int, const struct sigaction *, struct sigaction *);

extern int __interceptor_sigaction(int, const struct sigaction *, struct sigaction *)
    __attribute__((weak));

// A static program has no next definition; libc's own is __sigaction, whose weak alias is
// sigaction. glibc always has it. musl has it only in its static library, in an object file that a
// weak reference does not pull in; posix_spawn(3) does.
#ifdef __GLIBC__
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
#else
extern int __sigaction(int, const struct sigaction *, struct sigaction *) __attribute__((weak));
__attribute__((used)) static void *const needed = (void *)posix_spawn;
#endif

static sigaction_function find(void) {
    static sigaction_function cached;
    sigaction_function real = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (real == NULL) {
        const void *interceptor = (const void *)__interceptor_sigaction;
        real = (sigaction_function)epitaph_next_function("sigaction", interceptor);
        if (real == NULL) real = __sigaction;
        __atomic_store_n(&cached, real, __ATOMIC_RELAXED);
    }
    return real;
}

__attribute__((constructor)) static void find_early(void) {
    find();
}

int epitaph_real_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    sigaction_function real = find();
    if (real != NULL) return real(signal, action, old);
    errno = ENOSYS;
    return -1;
}
