// SPDX-License-Identifier: Apache-2.0
//
// Does what Go's runtime does with cgo: it looks for the auxiliary vector behind the environment,
// asks the kernel for each thread's alternate stack, and runs its handlers of faults there. sysargs
// in runtime/os_linux.go, minitSignalStack and adjustSignalStack in runtime/signal_unix.go.
//
// With HOST a program that loads such a library: program LIBRARY

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HOST

int main(int count, char **arguments, char **variables) {
    void *library = count < 2 ? NULL : dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) return 1;
    return ((int (*)(int, char **, char **))dlsym(library, "main"))(count, arguments, variables);
}

#else

__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
        ".balign 4\n"
        ".long 4, 4, 4\n"
        ".asciz \"Go\\0\"\n"
        ".long 0\n"
        ".popsection\n");

enum { OWN_STACK_BYTES = 32 << 10 };

static _Thread_local stack_t own;
static _Thread_local sigjmp_buf recovered;
static _Thread_local int is_on_own;

static void recover(int signal) {
    char here;
    (void)signal;
    is_on_own = (uintptr_t)&here - (uintptr_t)own.ss_sp < own.ss_size;
    siglongjmp(recovered, 1);
}

/// Prints whether its handler ran on the stack that the thread has or gets.
static void *fault(void *name) {
    syscall(SYS_sigaltstack, NULL, &own);
    if ((own.ss_flags & SS_DISABLE) != 0) {
        own = (stack_t){.ss_sp = malloc(OWN_STACK_BYTES), .ss_size = OWN_STACK_BYTES};
        syscall(SYS_sigaltstack, &own, NULL);
    }
    if (sigsetjmp(recovered, 1) == 0) *(volatile int *)16 = 1;
    printf("%s: %s\n", (const char *)name, is_on_own ? "on its stack" : "elsewhere");
    return NULL;
}

/// The page size of a vector of pairs, 0 if it lacks it; `count` how many pairs there are.
static unsigned long find_page_size(const uintptr_t *pairs, size_t *count) {
    unsigned long size = 0;
    for (*count = 0; pairs[0] != AT_NULL; pairs += 2, ++*count) {
        if (pairs[0] == AT_PAGESZ) size = pairs[1];
    }
    return size;
}

static unsigned long page_size(char **variables) {
    static uintptr_t copy[128];
    size_t count;
    while (*variables != NULL)
        variables++;
    unsigned long size = find_page_size((const uintptr_t *)(variables + 1), &count);
    if (count != 0) return size;
    int file = open("/proc/self/auxv", O_RDONLY);
    if (file < 0 || read(file, copy, sizeof copy - 2 * sizeof *copy) < 0) return 0;
    return find_page_size(copy, &count);
}

int main(int count, char **arguments, char **variables) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = recover, .sa_flags = SA_ONSTACK};
    (void)count;
    (void)arguments;
    printf("page size %lu\n", page_size(variables));
    sigfillset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    // As the constructor of a library does it.
    if (pthread_create(&thread, NULL, fault, "thread") != 0) return 1;
    pthread_join(thread, NULL);
    fault("main");
    return 0;
}

#endif
