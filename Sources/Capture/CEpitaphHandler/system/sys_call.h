// SPDX-License-Identifier: Apache-2.0
//
// How sys.c and sys_descriptors.c make system calls. CRASH-TIME.

#ifndef EPITAPH_SYSTEM_SYS_CALL_H
#define EPITAPH_SYSTEM_SYS_CALL_H

#include <asm/unistd.h>
#include <errno.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

#if defined(__x86_64__)

// Number in rax, arguments in rdi rsi rdx r10 r8 r9; clobbers rcx and r11: psABI A.2.1.
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

/// clone(2). The new process pops a function and its argument, calls it, and exits, call 60.
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

#elif defined(__aarch64__)

// Number in x8, arguments in x0 to x5: syscall(2).
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

/// clone(2). The new process pops a function and its argument, calls it, and exits, call 93.
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

#else
#error "Epitaph runs on x86_64 and aarch64"
#endif

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
