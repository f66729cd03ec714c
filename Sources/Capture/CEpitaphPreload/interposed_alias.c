// SPDX-License-Identifier: Apache-2.0
//
// sigaction(2)'s second name in glibc, used by some libraries. Not in the library that programs
// link, because a static libc has its own sigaction under this name only.

#include "signals/signals.h"

#ifdef __GLIBC__

__attribute__((visibility("default"))) int __sigaction(int signal, const struct sigaction *action,
                                                       struct sigaction *old);

int __sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    return epitaph_sigaction_answer(signal, action, old);
}

#endif
