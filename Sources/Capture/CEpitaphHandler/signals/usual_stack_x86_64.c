// SPDX-License-Identifier: Apache-2.0
//
// The entry: rdi: signal, rsi: siginfo, rdx: ucontext, on the stack the restorer (psABI 3.2.3).
// Leaves all as the kernel does for the program's handler.

#include "signals/usual_stack.h"

#if defined(__x86_64__)

__asm__(".text\n"
        ".hidden epitaph_usual_stack_enter\n"
        ".globl epitaph_usual_stack_enter\n"
        ".type epitaph_usual_stack_enter, @function\n"
        "epitaph_usual_stack_enter:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    movq %rsp, %rcx\n"  // the fourth argument
        EPITAPH_USUAL_STACK_SAVE "    call epitaph_usual_stack_prepare\n"
        ".hidden epitaph_usual_stack_go\n"
        ".globl epitaph_usual_stack_go\n"
        "epitaph_usual_stack_go:\n"  // rax: distance; pushed: rdi, rsi, rdx
        "    movq %rdx, %r11\n"      // the handler
        "    popq %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "    addq %rax, %rsi\n"
        "    addq %rax, %rdx\n"
        "    addq %rax, %rsp\n"
        "    xorl %eax, %eax\n"
        "    jmp *%r11\n"
        ".cfi_endproc\n"
        ".size epitaph_usual_stack_enter, . - epitaph_usual_stack_enter\n");

#endif
