// SPDX-License-Identifier: Apache-2.0
//
// System calls on x86_64: number in rax, arguments in rdi rsi rdx r10 r8 r9, rcx and r11 destroyed
// (psABI A.2.1). Only included by sys.c.

#ifndef EPITAPH_SYSTEM_SYS_X86_64_H
#define EPITAPH_SYSTEM_SYS_X86_64_H

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

/// clone(2). The new process takes a function and its argument from its stack, calls it, and exits
/// with its result; exit(2) is call 60.
static inline long clone_process(unsigned long flags, void *stack) {
    long result;
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "popq %%rax\n\t"
                     "popq %%rdi\n\t"
                     "callq *%%rax\n\t"
                     "movl %%eax, %%edi\n\t"
                     "movl $60, %%eax\n\t"
                     "syscall\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "a"(__NR_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
