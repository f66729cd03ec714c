// SPDX-License-Identifier: Apache-2.0

#include "jump.h"

#if defined(__x86_64__)

// rbx, rbp, r12 to r15, the stack pointer after the return, the return address. The x87 and SSE
// control words are the callee's to preserve too; nothing here changes them.
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
        "    ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_jump_set, . - epitaph_jump_set\n"

        ".hidden epitaph_jump_to\n"
        ".globl epitaph_jump_to\n"
        ".type epitaph_jump_to, @function\n"
        "epitaph_jump_to:\n"
        "    .cfi_startproc\n"
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
