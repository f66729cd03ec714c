// SPDX-License-Identifier: Apache-2.0

#include "caller_parts.h"

#if defined(__aarch64__)

__asm__(".text\n"
        ".hidden epitaph_caller_registers_store\n"
        ".globl epitaph_caller_registers_store\n"
        ".type epitaph_caller_registers_store, %function\n"
        "epitaph_caller_registers_store:\n"
        "    .cfi_startproc\n"
        "    stp x19, x20, [x0, #0]\n"
        "    stp x21, x22, [x0, #16]\n"
        "    stp x23, x24, [x0, #32]\n"
        "    stp x25, x26, [x0, #48]\n"
        "    stp x27, x28, [x0, #64]\n"
        "    stp x29, x30, [x0, #80]\n"
        "    mov x2, sp\n"
        "    stp x2, x30, [x0, #96]\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_caller_registers_store, . - epitaph_caller_registers_store\n");

#endif
