// SPDX-License-Identifier: Apache-2.0
//
// System calls on x86_64: number in rax, arguments in rdi rsi rdx r10 r8 r9, rcx and r11 destroyed
// (psABI A.2.1). Included by sys.c alone.

#ifndef EPITAPH_SYS_X86_64_H
#define EPITAPH_SYS_X86_64_H

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
