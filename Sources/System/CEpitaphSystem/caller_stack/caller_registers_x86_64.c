// SPDX-License-Identifier: Apache-2.0

#include "caller_parts.h"

#if defined(__x86_64__)

__asm__(".text\n"
        ".hidden epitaph_caller_registers_store\n"
        ".globl epitaph_caller_registers_store\n"
        ".type epitaph_caller_registers_store, @function\n"
        "epitaph_caller_registers_store:\n"
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
        "    ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_caller_registers_store, . - epitaph_caller_registers_store\n");

#endif
