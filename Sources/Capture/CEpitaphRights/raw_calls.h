// SPDX-License-Identifier: Apache-2.0
//
// Calls past libc's own functions for them.

#ifndef EPITAPH_RAW_CALLS_H
#define EPITAPH_RAW_CALLS_H

#pragma GCC visibility push(hidden)

/// libc's syscall(2); NULL until it is looked for.
extern long (*epitaph_raw_syscall)(long number, ...);
void epitaph_raw_calls_find(void);

/// syscall(2) of SYS_clone that makes a process with a copy of everything, as fork(2) does.
long epitaph_raw_fork_call(long number, long flags, long stack, long third, long fourth,
                           long fifth);
/// syscall(2) of SYS_seccomp.
long epitaph_raw_seccomp_call(long number, long operation, long flags, long arguments);

/// syscall(2) of SYS_setuid, SYS_setreuid, SYS_setresuid and SYS_capset.
long epitaph_raw_user_call(long number, long first, long second, long third);

/// syscall(2) of SYS_execve, SYS_execveat and SYS_exit_group.
long epitaph_raw_last_call(long number, long first, long second, long third, long fourth,
                           long fifth);

/// The flags of clone(2) with which the child shares what a forked one has for itself: CLONE_VM,
/// CLONE_FILES, CLONE_VFORK, CLONE_SETTLS. A literal that the assembler can use.
#define EPITAPH_RAW_SHARING_FLAGS "0x84500"

#pragma GCC visibility pop

#endif
