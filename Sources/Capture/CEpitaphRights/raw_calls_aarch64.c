// SPDX-License-Identifier: Apache-2.0
//
// syscall(2) on aarch64: to libc's with all registers and the stack as they are, so that whatever
// is done with it works as without us; a few calls go through functions of ours.

#include "raw_calls.h"

#if defined(__aarch64__)

// The number in x0, what the kernel takes in x1 to x6. The hint is a landing pad (BTI c).
// Beside what is EPITAPH_RUN_IN_CHILDREN.
__asm__(".pushsection .text.hot, \"ax\", %progbits\n"
        ".globl syscall\n"
        ".type syscall, %function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    hint #34\n"
        "    adrp x17, epitaph_raw_syscall\n"
        "    ldr x16, [x17, :lo12:epitaph_raw_syscall]\n"
        "    cbz x16, 3f\n"
        "1:  cmp x0, #220\n"  // SYS_clone
        "    b.eq 2f\n"
        "    cmp x0, #145\n"  // SYS_setreuid
        "    b.eq epitaph_raw_user_call\n"
        "    cmp x0, #146\n"  // SYS_setuid
        "    b.eq epitaph_raw_user_call\n"
        "    cmp x0, #147\n"  // SYS_setresuid
        "    b.eq epitaph_raw_user_call\n"
        "    cmp x0, #91\n"  // SYS_capset
        "    b.eq epitaph_raw_user_call\n"
        "    cmp x0, #221\n"  // SYS_execve
        "    b.eq epitaph_raw_last_call\n"
        "    cmp x0, #281\n"  // SYS_execveat
        "    b.eq epitaph_raw_last_call\n"
        "    cmp x0, #94\n"  // SYS_exit_group
        "    b.eq epitaph_raw_last_call\n"
        "    cmp x0, #277\n"  // SYS_seccomp
        "    b.ne 4f\n"
        "    b epitaph_raw_seccomp_call\n"
        "2:  cbnz x2, 4f\n"  // a stack of the child's own
        "    mov x17, #0x4500\n"
        "    movk x17, #0x8, lsl #16\n"
        "    tst x1, x17\n"
        "    b.ne 4f\n"
        "    b epitaph_raw_fork_call\n"
        "4:  br x16\n"
        "3:  stp x29, x30, [sp, #-80]!\n"
        "    .cfi_def_cfa_offset 80\n"
        "    .cfi_offset 29, -80\n"
        "    .cfi_offset 30, -72\n"
        "    stp x0, x1, [sp, #16]\n"
        "    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n"
        "    str x6, [sp, #64]\n"
        "    bl epitaph_raw_calls_find\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n"
        "    ldr x6, [sp, #64]\n"
        "    ldp x29, x30, [sp], #80\n"
        "    .cfi_def_cfa_offset 0\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    adrp x17, epitaph_raw_syscall\n"
        "    ldr x16, [x17, :lo12:epitaph_raw_syscall]\n"
        "    b 1b\n"
        ".cfi_endproc\n"
        ".size syscall, . - syscall\n"
        ".popsection\n");

_Static_assert(sizeof EPITAPH_RAW_SHARING_FLAGS == sizeof "0x84500", "0x8 << 16 | 0x4500");

#endif
