// SPDX-License-Identifier: Apache-2.0
//
// How sys.c and sys_descriptors.c make system calls. CRASH-TIME.

#ifndef EPITAPH_SYSTEM_SYS_CALL_H
#define EPITAPH_SYSTEM_SYS_CALL_H

#include <asm/unistd.h>
#include <errno.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include "system/sys_x86_64.h"
#elif defined(__aarch64__)
#include "system/sys_aarch64.h"
#else
#error "Epitaph runs on x86_64 and aarch64"
#endif

#pragma GCC visibility push(hidden)

/// Set by epitaph_sys_silence.
extern bool epitaph_sys_is_silent;

static inline long call(long number, long a, long b, long c, long d, long e, long f) {
    if (__atomic_load_n(&epitaph_sys_is_silent, __ATOMIC_RELAXED)) return -ENOSYS;
    return system_call(number, a, b, c, d, e, f);
}

#define CALL0(n) call(n, 0, 0, 0, 0, 0, 0)
#define CALL1(n, a) call(n, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(n, a, b) call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#pragma GCC visibility pop

#endif
