// SPDX-License-Identifier: Apache-2.0
//
// Crashes that lead to memory whose pages never come, and to more memory than a table may hold.

#include "ways.h"

#include <epitaph.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITING_BYTES = 1 << 20, PAGE_BYTES = 4096 };

#define WAY __attribute__((noinline)) static void

/// Faults with `pointer` in a register that the function need not preserve.
static void crash_holding(uintptr_t pointer) {
#if defined(__x86_64__)
    __asm__ volatile("movq %0, %%r10; movl $1, 16" : : "r"(pointer) : "r10", "memory");
#else
    __asm__ volatile("mov x9, %0; mov x10, #16; str wzr, [x10]" : : "r"(pointer) : "x9", "x10");
#endif
}

/// Memory that is never provided: userfaultfd(2). Ends the process if the system forbids that.
static uintptr_t waiting_memory(void) {
    void *memory = mmap(NULL, WAITING_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.range = {(uintptr_t)memory, WAITING_BYTES},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (memory == MAP_FAILED || fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
        ioctl(fd, UFFDIO_REGISTER, &range) < 0) {
        perror("userfaultfd");
        exit(77);
    }
    return (uintptr_t)memory;
}

WAY crash_waiting_register(void) {
    crash_holding(waiting_memory() + 5000);
}

WAY crash_waiting_registered(void) {
    uintptr_t memory = waiting_memory();
    epitaph_memory_register((void *)memory, 2 * PAGE_BYTES);
    crash_holding(0);
}

WAY crash_waiting_stack_pointer(void) {
    uintptr_t pointer = waiting_memory() + WAITING_BYTES / 2;
#if defined(__x86_64__)
    __asm__ volatile("movq %0, %%rsp; movl $1, 16" : : "r"(pointer) : "memory");
#else
    __asm__ volatile("mov sp, %0; mov x10, #16; str wzr, [x10]" : : "r"(pointer) : "x10");
#endif
}

WAY live_dump_while_waiting(void) {
    epitaph_error error;
    uintptr_t memory = waiting_memory();
    epitaph_memory_register((void *)memory, 2 * PAGE_BYTES);
    if (epitaph_live_dump(NULL, &error) != EPITAPH_OK) fprintf(stderr, "%s\n", error.message);
    exit(0);
}

/// Splits memory into `count` mappings, each unlike its neighbours.
static void make_mappings(long count) {
    char *memory = mmap(NULL, (size_t)count * PAGE_BYTES, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (long i = 0; memory != MAP_FAILED && i < count; i += 2)
        mprotect(memory + i * PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

WAY crash_more_mappings(void) {
    make_mappings(40000);
    crash_holding(0);
}

WAY crash_most_mappings(void) {
    make_mappings(65000);
    crash_holding(0);
}

/// A pointer as memory tagging and HWASan make them: the processor ignores the highest byte.
WAY crash_tagged_pointer(void) {
    static char text[256] = "the memory behind a tagged pointer";
#if defined(__aarch64__)
    crash_holding((uintptr_t)text | 0xab00000000000000);
#else
    crash_holding((uintptr_t)text);
#endif
}

const way waiting_memory_ways[] = {
    {"waiting-register", crash_waiting_register},
    {"waiting-registered", crash_waiting_registered},
    {"waiting-stack-pointer", crash_waiting_stack_pointer},
    {"waiting-live", live_dump_while_waiting},
    {"more-mappings", crash_more_mappings},
    {"most-mappings", crash_most_mappings},
    {"tagged-pointer", crash_tagged_pointer},
    {NULL, NULL},
};
