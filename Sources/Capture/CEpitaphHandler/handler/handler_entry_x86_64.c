// SPDX-License-Identifier: Apache-2.0
//
// Handler entry: rdi: signal, rsi: siginfo, rdx: ucontext, on the stack the restorer (psABI 3.2.3).

#include "handler/handler.h"

#include "epitaph_handler.h"

#if defined(__x86_64__)

__asm__(".text\n"
        ".globl epitaph_handle_signal\n"
        ".type epitaph_handle_signal, @function\n"
        "epitaph_handle_signal:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    testl $2, 24(%rdx)\n"  // SS_DISABLE: no alternate stack
        "    jnz 1f\n"
        "    movq %rsp, %rcx\n"
        "    subq 16(%rdx), %rcx\n"  // room below us, if we are on it
        "    cmpq 32(%rdx), %rcx\n"
        "    ja 1f\n"
        "    cmpq $" EPITAPH_HANDLER_ROOM ", %rcx\n"
        "    jae 2f\n"
        "1:  movq epitaph_emergency_stack_end(%rip), %r9\n"
        "    testq %r9, %r9\n"
        "    jz 2f\n"
        "    movl $1, %eax\n"
        "    xchgl %eax, epitaph_emergency_stack_taken(%rip)\n"
        "    testl %eax, %eax\n"
        "    jnz 2f\n"
        "    movq %rsp, %rcx\n"
        "    xchgq %rsp, %r9\n"
        "    pushq %r9\n"
        "    pushq %r9\n"  // twice, for 16-byte alignment
        "    call epitaph_handle_on_emergency_stack\n"
        "    popq %rcx\n"
        "    popq %rsp\n"
        "    movl $0, epitaph_emergency_stack_taken(%rip)\n"
        "    ret\n"
        "2:  movq %rsp, %rcx\n"  // the fourth argument
        EPITAPH_USUAL_STACK_SAVE "    call epitaph_handle_signal_here\n"
        "    testq %rdx, %rdx\n"
        "    jnz epitaph_usual_stack_go\n"
        "    addq $24, %rsp\n"
        ".cfi_adjust_cfa_offset -24\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size epitaph_handle_signal, . - epitaph_handle_signal\n");

#endif
