// SPDX-License-Identifier: Apache-2.0
//
// Handler entry: signal in w0, siginfo in x1, ucontext in x2, restorer in x30 (AAPCS64 6.4).

#include "handler/handler.h"

#include "epitaph_handler.h"

#if defined(__aarch64__)

__asm__(".text\n"
        ".globl epitaph_handle_signal\n"
        ".type epitaph_handle_signal, %function\n"
        "epitaph_handle_signal:\n"
        ".cfi_startproc\n"
        "    hint #34\n"  // bti c
        "    ldr w10, [x2, #24]\n"
        "    tbnz w10, #1, 1f\n"  // SS_DISABLE: no alternate stack
        "    ldr x9, [x2, #16]\n"
        "    ldr x11, [x2, #32]\n"
        "    mov x12, sp\n"
        "    sub x12, x12, x9\n"  // room below us, if we are on it
        "    cmp x12, x11\n"
        "    b.hi 1f\n"
        "    mov x13, #" EPITAPH_HANDLER_ROOM "\n"
        "    cmp x12, x13\n"
        "    b.hs 2f\n"
        "1:  adrp x13, epitaph_emergency_stack_end\n"
        "    ldr x13, [x13, #:lo12:epitaph_emergency_stack_end]\n"
        "    cbz x13, 2f\n"
        "    adrp x14, epitaph_emergency_stack_taken\n"
        "    add x14, x14, #:lo12:epitaph_emergency_stack_taken\n"
        "    mov w15, #1\n"
        "3:  ldaxr w16, [x14]\n"
        "    cbnz w16, 4f\n"
        "    stlxr w17, w15, [x14]\n"
        "    cbnz w17, 3b\n"
        "    mov x12, sp\n"
        "    mov x3, sp\n"
        "    mov sp, x13\n"
        "    stp x12, x30, [sp, #-16]!\n"
        "    bl epitaph_handle_on_emergency_stack\n"
        "    ldp x12, x30, [sp], #16\n"
        "    mov sp, x12\n"
        "    adrp x14, epitaph_emergency_stack_taken\n"
        "    add x14, x14, #:lo12:epitaph_emergency_stack_taken\n"
        "    stlr wzr, [x14]\n"
        "    ret\n"
        "4:  clrex\n"
        "2:  mov x3, sp\n"  // the fourth argument
        EPITAPH_USUAL_STACK_SAVE "    bl epitaph_handle_signal_here\n"
        "    cbz x1, 5f\n"
        "    b epitaph_usual_stack_go\n"
        "5:\n"
        "    ldp x29, x30, [sp], #48\n"
        ".cfi_adjust_cfa_offset -48\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size epitaph_handle_signal, . - epitaph_handle_signal\n");

#endif
