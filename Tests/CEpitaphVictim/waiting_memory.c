// SPDX-License-Identifier: Apache-2.0
//
// Crashes that lead to memory whose pages never come, and to more memory than a table may hold.

#include "ways.h"

#include <epitaph.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void *new_memory(void) {
    void *memory = mmap(NULL, WAITING_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) exit(77);
    return memory;
}

/// What of the memory is untouched is never provided: userfaultfd(2). Ends the process if the
/// system forbids that.
static void let_wait(void *memory) {
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.range = {(uintptr_t)memory, WAITING_BYTES},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0) {
        perror("userfaultfd");
        exit(77);
    }
}

static uintptr_t waiting_memory(void) {
    void *memory = new_memory();
    let_wait(memory);
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

typedef struct holed_stack {
    void *memory;
    /// What its thread does.
    void (*act)(void);
    pthread_barrier_t is_ready;
} holed_stack;

/// Uses what the calls below need, before the rest must not be touched.
__attribute__((noinline)) static void use_stack(void) {
    char used[WAITING_BYTES / 4];
    memset(used, 1, sizeof used);
    __asm__ volatile("" : : "r"(used) : "memory");
}

static void *act_below_hole(void *argument) {
    holed_stack *stack = argument;
    char hole[4 * PAGE_BYTES];
    __asm__ volatile("" : : "r"(hole) : "memory");
    use_stack();
    let_wait(stack->memory);
    pthread_barrier_wait(&stack->is_ready);
    stack->act();
    return NULL;
}

/// Lets a thread act whose stack has pages in its middle that never come.
static void act_on_holed_stack(void (*act)(void)) {
    static holed_stack stack;
    stack.memory = new_memory();
    stack.act = act;
    pthread_barrier_init(&stack.is_ready, NULL, 2);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack.memory, WAITING_BYTES);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, act_below_hole, &stack) != 0) exit(77);
    pthread_barrier_wait(&stack.is_ready);
}

static void wait_for_ever(void) {
    for (;;)
        pause();
}

/// Far enough below the hole for the first record, which loads the next pages without asking.
static void crash_here(void) {
    char used[4 * PAGE_BYTES];
    memset(used, 1, sizeof used);
    __asm__ volatile("" : : "r"(used) : "memory");
    crash_holding(0);
}

WAY crash_on_holed_stack(void) {
    act_on_holed_stack(crash_here);
    wait_for_ever();
}

WAY crash_beside_holed_stack(void) {
    act_on_holed_stack(wait_for_ever);
    crash_holding(0);
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
    {"waiting-own-stack", crash_on_holed_stack},
    {"waiting-other-stack", crash_beside_holed_stack},
    {"waiting-live", live_dump_while_waiting},
    {"more-mappings", crash_more_mappings},
    {"most-mappings", crash_most_mappings},
    {"tagged-pointer", crash_tagged_pointer},
    {NULL, NULL},
};
