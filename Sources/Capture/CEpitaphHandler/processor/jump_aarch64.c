// SPDX-License-Identifier: Apache-2.0
//
// Set-jump and long-jump on aarch64, guarded control stacks included.

#include "processor/registers.h"

#if defined(__aarch64__)

// Saves x19 to x30, sp, d8 to d15, whose lower halves the callee must preserve, and the guarded
// control stack's pointer.
//
// A guarded control stack (Arm ARM, D11) has the return addresses of the skipped frames. They must
// be popped, the target's too, so the jump is not a return. CHKFEAT clears the bit in x16 if there
// is such a stack, else does nothing. Not all assemblers know its name, GCSPR_EL0 or GCSPOPM.
__asm__(".text\n"
        ".hidden epitaph_jump_set\n"
        ".globl epitaph_jump_set\n"
        ".type epitaph_jump_set, %function\n"
        "epitaph_jump_set:\n"
        "    .cfi_startproc\n"
        "    stp x19, x20, [x0, #0]\n"
        "    stp x21, x22, [x0, #16]\n"
        "    stp x23, x24, [x0, #32]\n"
        "    stp x25, x26, [x0, #48]\n"
        "    stp x27, x28, [x0, #64]\n"
        "    stp x29, x30, [x0, #80]\n"
        "    mov x2, sp\n"
        "    str x2, [x0, #96]\n"
        "    stp d8, d9, [x0, #104]\n"
        "    stp d10, d11, [x0, #120]\n"
        "    stp d12, d13, [x0, #136]\n"
        "    stp d14, d15, [x0, #152]\n"
        "    mov x2, #0\n"
        "    mov x16, #1\n"
        "    hint #40\n"
        "    tbnz x16, #0, 1f\n"
        "    mrs x2, s3_3_c2_c5_1\n"
        "1:  str x2, [x0, #168]\n"
        "    mov w0, #0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_jump_set, . - epitaph_jump_set\n"

        ".hidden epitaph_jump_to\n"
        ".globl epitaph_jump_to\n"
        ".type epitaph_jump_to, %function\n"
        "epitaph_jump_to:\n"
        "    .cfi_startproc\n"
        "    ldp x19, x20, [x0, #0]\n"
        "    ldp x21, x22, [x0, #16]\n"
        "    ldp x23, x24, [x0, #32]\n"
        "    ldp x25, x26, [x0, #48]\n"
        "    ldp x27, x28, [x0, #64]\n"
        "    ldp x29, x30, [x0, #80]\n"
        "    ldr x2, [x0, #96]\n"
        "    mov sp, x2\n"
        "    ldp d8, d9, [x0, #104]\n"
        "    ldp d10, d11, [x0, #120]\n"
        "    ldp d12, d13, [x0, #136]\n"
        "    ldp d14, d15, [x0, #152]\n"
        "    ldr x3, [x0, #168]\n"
        "    mov w0, #1\n"
        "    cbz x3, 3f\n"
        "    mrs x2, s3_3_c2_c5_1\n"
        "2:  cmp x2, x3\n"
        "    b.hi 4f\n"
        "    sysl xzr, #3, c7, c7, #1\n"
        "    add x2, x2, #8\n"
        "    b 2b\n"
        "4:  br x30\n"
        "3:  ret\n"
        "    .cfi_endproc\n"
        ".size epitaph_jump_to, . - epitaph_jump_to\n");

#endif
