// SPDX-License-Identifier: Apache-2.0
//
// seccomp(2): the kernel ends the whole process, with SIGSYS that nothing can catch, at the first
// call that is not allowed.

#include "seal.h"

#include "allowed_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define __NR_arch_prctl __NR_prctl
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define ALLOW(name) SKIP_UNLESS(__NR_##name, 1), RETURN(SECCOMP_RET_ALLOW),

void seal(void) {
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOWED_CALLS(ALLOW) RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    // TSYNC: all threads, also those that run already.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
        perror("seccomp");
        exit(71);
    }
}
