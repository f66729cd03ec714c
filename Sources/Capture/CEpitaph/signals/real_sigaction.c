// SPDX-License-Identifier: Apache-2.0
//
// Found once, before main: dlsym(3) takes the loader's lock.

#include "signals/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>

typedef int (*sigaction_function)(int, const struct sigaction *, struct sigaction *);

// The function of the address and thread sanitizers' runtimes: linked statically, it comes before
// ours and not after it. sanitizer_common's interception.h gives it this name.
extern int __interceptor_sigaction(int, const struct sigaction *, struct sigaction *)
    __attribute__((weak));

// A statically linked program has no next definition; there libc's own is called by its other name,
// and sigaction is a weak alias of it. glibc has it in its dynamic library, too. musl has it in the
// static one alone, in an object file that the linker takes only if something needs it, and a weak
// reference does not; posix_spawn(3) does.
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
        real = __interceptor_sigaction;
        if (real == NULL) real = (sigaction_function)dlsym(RTLD_NEXT, "sigaction");
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
