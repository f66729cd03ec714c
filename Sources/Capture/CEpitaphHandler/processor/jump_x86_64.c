// SPDX-License-Identifier: Apache-2.0
//
// Set-jump and long-jump on x86_64, shadow stacks included.

#include "processor/registers.h"

#if defined(__x86_64__)

// Saves rbx, rbp, r12 to r15, rsp after the return, the return address, and the shadow stack
// pointer. The callee must also preserve the x87 and SSE control words, which nothing here changes.
//
// The return addresses of skipped frames must be dropped from a shadow stack (Intel SDM 1, 17), or
// the next return faults. Without one rdssp is a no-op that leaves the zero; incssp is not, and
// drops at most 255 at once.
__asm__(".text\n"
        ".hidden epitaph_jump_set\n"
        ".globl epitaph_jump_set\n"
        ".type epitaph_jump_set, @function\n"
        "epitaph_jump_set:\n"
        "    .cfi_startproc\n"
        "    movq %rbx, 0(%rdi)\n"
        "    movq %rbp, 8(%rdi)\n"
        "    movq %r12, 16(%rdi)\n"
        "    movq %r13, 24(%rdi)\n"
        "    movq %r14, 32(%rdi)\n"
        "    movq %r15, 40(%rdi)\n"
        "    leaq 8(%rsp), %rdx\n"
        "    movq %rdx, 48(%rdi)\n"
        "    movq (%rsp), %rdx\n"
        "    movq %rdx, 56(%rdi)\n"
        "    xorl %eax, %eax\n"
        "    rdsspq %rax\n"
        "    movq %rax, 64(%rdi)\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_jump_set, . - epitaph_jump_set\n"

        ".hidden epitaph_jump_to\n"
        ".globl epitaph_jump_to\n"
        ".type epitaph_jump_to, @function\n"
        "epitaph_jump_to:\n"
        "    .cfi_startproc\n"
        "    xorl %eax, %eax\n"
        "    rdsspq %rax\n"
        "    testq %rax, %rax\n"
        "    jz 2f\n"
        "    movq 64(%rdi), %rdx\n"
        "    subq %rax, %rdx\n"
        "    jb 2f\n"
        "    shrq $3, %rdx\n"
        // The entry at the saved pointer belongs to a return already made.
        "    addq $1, %rdx\n"
        "    movl $255, %ecx\n"
        "1:  cmpq %rcx, %rdx\n"
        "    cmovbq %rdx, %rcx\n"
        "    incsspq %rcx\n"
        "    subq %rcx, %rdx\n"
        "    ja 1b\n"
        "2:\n"
        "    movq 0(%rdi), %rbx\n"
        "    movq 8(%rdi), %rbp\n"
        "    movq 16(%rdi), %r12\n"
        "    movq 24(%rdi), %r13\n"
        "    movq 32(%rdi), %r14\n"
        "    movq 40(%rdi), %r15\n"
        "    movq 48(%rdi), %rsp\n"
        "    movl $1, %eax\n"
        "    jmpq *56(%rdi)\n"
        "    .cfi_endproc\n"
        ".size epitaph_jump_to, . - epitaph_jump_to\n");

#endif
