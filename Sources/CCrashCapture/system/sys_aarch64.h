// SPDX-License-Identifier: Apache-2.0
//
// System calls on aarch64: number in x8, arguments in x0 to x5, syscall(2). Only included by sys.c.

#ifndef EPITAPH_SYSTEM_SYS_AARCH64_H
#define EPITAPH_SYSTEM_SYS_AARCH64_H

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

/// clone(2). The new process takes a function and its argument from its stack, calls it, and exits
/// with its result; exit(2) is call 93.
static inline long clone_process(unsigned long flags, void *stack) {
    register long x8 __asm__("x8") = __NR_clone;
    register long x0 __asm__("x0") = (long)flags;
    register long x1 __asm__("x1") = (long)stack;
    register long x2 __asm__("x2") = 0;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, xzr\n\t"
                     "mov x30, xzr\n\t"
                     "ldp x1, x0, [sp], #16\n\t"
                     "blr x1\n\t"
                     "mov x8, #93\n\t"
                     "svc #0\n\t"
                     "brk #0\n"
                     "1:"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                     : "memory");
    return x0;
}

#endif
