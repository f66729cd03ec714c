// SPDX-License-Identifier: Apache-2.0
//
// The second name of sigaction(2) in glibc, which some libraries call. Not in the library that
// programs link: a static libc has its own sigaction under that name alone.

#include "signals/signals.h"

#ifdef __GLIBC__

__attribute__((visibility("default"))) int __sigaction(int signal, const struct sigaction *action,
                                                       struct sigaction *old);

int __sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    return epitaph_sigaction_answer(signal, action, old);
}

#endif
