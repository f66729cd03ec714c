// SPDX-License-Identifier: Apache-2.0
//
// Frames that only code for aarch64 has. No compiler can be asked for them: they are written down.

#include "ways.h"

#include <stddef.h>

#if defined(__aarch64__)

// As GCC's epilogue of a large frame whose table counts from x29: the caller's x29 is back, and the
// table says so only behind the last instruction.
__asm__(".text\n"
        ".type fault_in_epilogue, %function\n"
        "fault_in_epilogue:\n"
        "    .cfi_startproc\n"
        "    sub sp, sp, #0x610\n"
        "    .cfi_def_cfa_offset 0x610\n"
        "    stp x29, x30, [sp, #16]\n"
        "    .cfi_offset 29, -0x600\n"
        "    .cfi_offset 30, -0x5f8\n"
        "    add x29, sp, #16\n"
        "    .cfi_def_cfa 29, 0x600\n"
        "    bl 1f\n"
        "    ldp x29, x30, [sp, #16]\n"
        "    mov x0, #8\n"
        "    str x0, [x0]\n"
        "    add sp, sp, #0x610\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    .cfi_def_cfa 31, 0\n"
        "    ret\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size fault_in_epilogue, . - fault_in_epilogue\n"
        // Without tables and frame pointers, one called by name, one through a pointer, one that
        // keeps its return address in x30, and moves the stack pointer.
        ".type call_without_tables, %function\n"
        "call_without_tables:\n"
        "    stp x19, x30, [sp, #-32]!\n"
        "    adr x19, call_by_pointer\n"
        "    blr x19\n"
        "    ldp x19, x30, [sp], #32\n"
        "    ret\n"
        ".size call_without_tables, . - call_without_tables\n"
        ".type call_by_pointer, %function\n"
        "call_by_pointer:\n"
        "    mov x12, #0x2340\n"
        "    sub sp, sp, x12\n"
        "    str x30, [sp, #8]\n"
        "    bl fault_in_leaf\n"
        "    ldr x30, [sp, #8]\n"
        "    mov x12, #0x2340\n"
        "    add sp, sp, x12\n"
        "    ret\n"
        ".size call_by_pointer, . - call_by_pointer\n"
        ".type fault_in_leaf, %function\n"
        "fault_in_leaf:\n"
        "    sub sp, sp, #64\n"
        "    mov x0, #8\n"
        "    str x0, [x0]\n"
        "    add sp, sp, #64\n"
        "    ret\n"
        ".size fault_in_leaf, . - fault_in_leaf\n");
// A frame of 16 MiB, which a call of a function without a frame does not touch.
__asm__(".text\n"
        ".type large_frame, %function\n"
        "large_frame:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 29, -16\n"
        "    .cfi_offset 30, -8\n"
        "    sub sp, sp, #0xfff, lsl #12\n"
        "    .cfi_def_cfa_offset 0xfff010\n"
        "    bl 1f\n"
        "    add sp, sp, #0xfff, lsl #12\n"
        "    .cfi_def_cfa_offset 16\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size large_frame, . - large_frame\n"
        ".type use_of_large_frame, %function\n"
        "use_of_large_frame:\n"
        "    .cfi_startproc\n"
        "1:  str x0, [sp, #64]\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size use_of_large_frame, . - use_of_large_frame\n");
void fault_in_epilogue(void);
void large_frame(void);
void call_without_tables(void);

const way arm_frame_ways[] = {
    {"fault-in-epilogue", fault_in_epilogue},
    {"without-tables", call_without_tables},
    {"large-frame", large_frame},
    {NULL, NULL},
};

#else

const way arm_frame_ways[] = {{NULL, NULL}};

#endif
