// SPDX-License-Identifier: Apache-2.0
//
// What the C programs of the corpus share.

#ifndef CORPUS_WAYS_H
#define CORPUS_WAYS_H

#define KEEP __attribute__((noinline, noclone))

/// Never written, so that no compiler knows what is in them.
extern int *volatile nowhere;
extern volatile int zero;

/// One way to die. None of them returns.
struct way {
    const char *name;
    void (*go)(void);
};

extern const struct way call_ways[], signal_ways[], stack_ways[], jump_ways[];

KEEP void touch(int value);

#endif
