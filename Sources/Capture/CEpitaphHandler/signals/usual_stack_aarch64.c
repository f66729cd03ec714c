// SPDX-License-Identifier: Apache-2.0
//
// The entry: signal in w0, siginfo in x1, ucontext in x2, the frame's record in x29, restorer in
// x30 (AAPCS64 6.4). Leaves all as the kernel does for the program's handler.

#include "signals/usual_stack.h"

#if defined(__aarch64__)

__asm__(".text\n"
        ".hidden epitaph_usual_stack_enter\n"
        ".globl epitaph_usual_stack_enter\n"
        ".type epitaph_usual_stack_enter, %function\n"
        "epitaph_usual_stack_enter:\n"
        ".cfi_startproc\n"
        "    hint #34\n"    // bti c
        "    mov x3, sp\n"  // the fourth argument
        EPITAPH_USUAL_STACK_SAVE "    bl epitaph_usual_stack_prepare\n"
        ".hidden epitaph_usual_stack_go\n"
        ".globl epitaph_usual_stack_go\n"
        "epitaph_usual_stack_go:\n"  // x0: distance; stored: x29, x30, x0, x1, x2
        "    mov x9, x0\n"
        "    mov x16, x1\n"  // the handler
        "    ldr x2, [sp, #32]\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #48\n"
        ".cfi_adjust_cfa_offset -48\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        "    add x1, x1, x9\n"
        "    add x2, x2, x9\n"
        "    add x29, x29, x9\n"
        "    add x9, sp, x9\n"
        "    mov sp, x9\n"
        "    br x16\n"
        ".cfi_endproc\n"
        ".size epitaph_usual_stack_enter, . - epitaph_usual_stack_enter\n");

#endif
