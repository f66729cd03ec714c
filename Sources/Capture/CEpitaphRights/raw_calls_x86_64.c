// SPDX-License-Identifier: Apache-2.0
//
// syscall(2) on x86_64: to libc's with all registers and the stack as they are, so that whatever is
// done with it works as without us; a few calls go through functions of ours.

#include "raw_calls.h"

#if defined(__x86_64__)

// The number in rdi, what the kernel takes in rsi, rdx, rcx, r8, r9, and on the stack.
// Beside what is EPITAPH_RUN_IN_CHILDREN.
__asm__(".pushsection .text.hot, \"ax\", %progbits\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    movq epitaph_raw_syscall(%rip), %r11\n"
        "    testq %r11, %r11\n"
        "    jz 3f\n"
        "1:  cmpq $56, %rdi\n"  // SYS_clone
        "    je 2f\n"
        "    cmpq $317, %rdi\n"  // SYS_seccomp
        "    je epitaph_raw_seccomp_call\n"
        "    cmpq $105, %rdi\n"  // SYS_setuid
        "    je epitaph_raw_user_call\n"
        "    cmpq $113, %rdi\n"  // SYS_setreuid
        "    je epitaph_raw_user_call\n"
        "    cmpq $117, %rdi\n"  // SYS_setresuid
        "    je epitaph_raw_user_call\n"
        "    cmpq $126, %rdi\n"  // SYS_capset
        "    je epitaph_raw_user_call\n"
        "    cmpq $59, %rdi\n"  // SYS_execve
        "    je epitaph_raw_last_call\n"
        "    cmpq $322, %rdi\n"  // SYS_execveat
        "    je epitaph_raw_last_call\n"
        "    cmpq $231, %rdi\n"  // SYS_exit_group
        "    je epitaph_raw_last_call\n"
        "    jmpq *%r11\n"
        "2:  testq %rdx, %rdx\n"  // a stack of the child's own
        "    jnz 4f\n"
        "    testq $" EPITAPH_RAW_SHARING_FLAGS ", %rsi\n"
        "    jz epitaph_raw_fork_call\n"
        "4:  jmpq *%r11\n"
        "3:  pushq %rdi\n"
        "    pushq %rsi\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 56\n"
        "    call epitaph_raw_calls_find\n"
        "    addq $8, %rsp\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -56\n"
        "    movq epitaph_raw_syscall(%rip), %r11\n"
        "    jmp 1b\n"
        ".cfi_endproc\n"
        ".size syscall, . - syscall\n"
        ".popsection\n");

#endif
