// SPDX-License-Identifier: Apache-2.0
//
// A program that answers its own system calls (syscall user dispatch), as an emulator does, except
// those that libc makes; to be compared with and without Epitaph.
//
//     dispatched ANSWER END
//
// ANSWER: `refused` or `repeated`. END: fault, abort, a SIGSYS from outside, or none.

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

static volatile char selector;
static int repeats;
static struct {
    unsigned long start;
    unsigned long count;
} libc_code;

static void answer(int signal, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal;
    (void)info;
    long result = -ENOSYS;
    if (repeats) {
        errno = 0;
        result =
            syscall(registers[REG_RAX], registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                    registers[REG_R10], registers[REG_R8], registers[REG_R9]);
        if (result == -1) result = -errno;
    }
    registers[REG_RAX] = result;
}

static int find_libc(struct dl_phdr_info *module, size_t size, void *function) {
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        unsigned long start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        if ((unsigned long)function - start >= segment->p_memsz) continue;
        libc_code.start = start;
        libc_code.count = segment->p_memsz;
        return 1;
    }
    return 0;
}

static long ask_parent(void) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
    return result;
}

int main(int count, char **words) {
    struct sigaction action;
    if (count < 3) return 70;
    repeats = strcmp(words[1], "repeated") == 0;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, NULL);
    dl_iterate_phdr(find_libc, (void *)getenv);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, libc_code.start, libc_code.count,
              &selector) != 0) {
        return 71;
    }
    selector = 1;
    if (ask_parent() != (repeats ? (long)getppid() : -ENOSYS)) return 72;
    if (strcmp(words[2], "fault") == 0) *(volatile int *)16 = 1;
    if (strcmp(words[2], "abort") == 0) abort();
    if (strcmp(words[2], "default") == 0) {
        signal(SIGSYS, SIG_DFL);
        raise(SIGSYS);
    }
    puts("answered");
    return 0;
}
