// SPDX-License-Identifier: Apache-2.0
//
// Faults of the program's own code, and how handlers repair them.

#include "random/random.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

char *faulting_page;
/// Behind the end of its file.
static char *endless_page;

static void *map(int protection, int flags, int descriptor) {
    void *page = mmap(NULL, FAULTING_PAGE_BYTES, protection, flags, descriptor, 0);
    if (page == MAP_FAILED) abort();
    return page;
}

void prepare_faults(void) {
    faulting_page = map(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int file = memfd_create("empty", 0);
    endless_page = map(PROT_READ | PROT_WRITE, MAP_SHARED, file);
    close(file);
}

#ifdef __x86_64__

/// Each of these is two bytes long, but for int3.
enum { INSTRUCTION_BYTES = 2 };

static void touch(char *at) {
    __asm__ volatile("movb (%0), %%cl" : : "a"(at) : "rcx", "memory");
}

static void divide(void) {
    __asm__ volatile("xorl %%edx, %%edx\n\tmovl $1, %%eax\n\txorl %%ecx, %%ecx\n\tdivl %%ecx"
                     :
                     :
                     : "rax", "rcx", "rdx");
}

static void stumble(void) {
    __asm__ volatile("ud2");
}

static void halt(void) {
    __asm__ volatile("int3");
}

static void go_past(int signal, void *context) {
    if (signal == SIGTRAP) return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += INSTRUCTION_BYTES;
}

#else

enum { INSTRUCTION_BYTES = 4 };

static void touch(char *at) {
    __asm__ volatile("ldrb w1, [%0]" : : "r"(at) : "x1", "memory");
}

static void divide(void) {
    __asm__ volatile("udf #1");
}

static void stumble(void) {
    __asm__ volatile("udf #0");
}

static void halt(void) {
    __asm__ volatile("brk #1");
}

static void go_past(int signal, void *context) {
    (void)signal;
    ((ucontext_t *)context)->uc_mcontext.pc += INSTRUCTION_BYTES;
}

#endif

void fault(void) {
    unsigned kind = chance(8);
    say("fault %u\n", kind);
    if (kind == 0) touch((char *)16);
    if (kind == 1 || kind == 2) touch(faulting_page + chance(2) * 8);
    if (kind == 3) touch((char *)(UINT64_C(1) << 60));
    if (kind == 4) touch(endless_page);
    if (kind == 5) divide();
    if (kind == 6) stumble();
    if (kind == 7) halt();
    mprotect(faulting_page, FAULTING_PAGE_BYTES, PROT_NONE);
    say("  went on\n");
}

void repair(int signal, const siginfo_t *info, void *context) {
    if (info->si_code <= 0) return;
    char *at = info->si_addr;
    bool is_page =
        signal == SIGSEGV && at >= faulting_page && at < faulting_page + FAULTING_PAGE_BYTES;
    if (is_page) {
        mprotect(faulting_page, FAULTING_PAGE_BYTES, PROT_READ | PROT_WRITE);
    } else {
        go_past(signal, context);
    }
}
