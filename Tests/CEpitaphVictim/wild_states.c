// SPDX-License-Identifier: Apache-2.0
//
// Crashes in which registers, stacks or tables are not what a handler may expect.

#include "crashes.h"
#include "ways.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Not there in a program that is linked statically.
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));

#define WAY __attribute__((noinline)) static void

static const uintptr_t unmapped_address = 0x10000000;
static const uintptr_t noncanonical_address = 0x00deadbeef000000;

/// Faults with the stack pointer at `pointer`.
static void crash_with_stack_pointer(uintptr_t pointer) {
#if defined(__x86_64__)
    __asm__ volatile("movq %0, %%rsp; pushq $1; ud2" : : "r"(pointer) : "memory");
#else
    __asm__ volatile("mov sp, %0; str xzr, [sp, #-16]!; udf #0" : : "r"(pointer) : "memory");
#endif
}

WAY crash_stack_pointer_zero(void) {
    crash_with_stack_pointer(0);
}

WAY crash_stack_pointer_unmapped(void) {
    crash_with_stack_pointer(unmapped_address);
}

WAY crash_stack_pointer_noncanonical(void) {
    crash_with_stack_pointer(noncanonical_address);
}

static void jump_to(uintptr_t address) {
    ((void (*volatile)(void))address)();
}

WAY crash_program_counter_unmapped(void) {
    jump_to(unmapped_address);
}

WAY crash_program_counter_noncanonical(void) {
    jump_to(noncanonical_address);
}

WAY crash_program_counter_in_data(void) {
    static volatile unsigned char data[64];
    data[0] = 0xc3;
    jump_to((uintptr_t)data);
}

static ucontext_t outside;
static ucontext_t inside;

__attribute__((noinline)) static void crash_below_untouched_pages(void) {
    char untouched[16 << 10];
    __asm__ volatile("" : : "r"(untouched) : "memory");
    crash("null-write");
    __asm__ volatile("" : : "r"(untouched) : "memory");
}

static void coroutine(void) {
    volatile char mark[32] = "the coroutine's own frame";
    crash_below_untouched_pages();
    // Keeps the frame until here.
    __asm__ volatile("" : : "r"(mark) : "memory");
}

WAY crash_in_coroutine(void) {
    enum { SIZE = 64 << 10 };
    getcontext(&inside);
    inside.uc_stack.ss_sp = malloc(SIZE);
    inside.uc_stack.ss_size = SIZE;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    swapcontext(&outside, &inside);
}

/// Where the calls of this program to other libraries go to: the slots of its jump relocations,
/// elf(5).
static void destroy_call_table(const ElfW(Dyn) * entry, uintptr_t bias) {
    const ElfW(Rela) *relocations = NULL;
    size_t count = 0;
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_JMPREL) relocations = (const void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_PLTRELSZ) count = entry->d_un.d_val / sizeof *relocations;
    }
    if (count == 0) exit(73);
    uintptr_t page = (uintptr_t)getpagesize();
    for (size_t i = 0; i < count; i++) {
        uintptr_t slot = bias + relocations[i].r_offset;
        mprotect((void *)(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE);
    }
    for (size_t i = 0; i < count; i++)
        *(uintptr_t *)(bias + relocations[i].r_offset) = noncanonical_address;
}

WAY crash_without_call_table(void) {
    struct link_map *program = NULL;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_DEBUG) program = ((struct r_debug *)entry->d_un.d_ptr)->r_map;
    }
    if (program == NULL) exit(73);
    destroy_call_table(_DYNAMIC, program->l_addr);
    *(volatile int *)(uintptr_t)16 = 1;
}

static void own_path(char path[4096]) {
    ssize_t length = readlink("/proc/self/exe", path, 4095);
    path[length < 0 ? 0 : length] = 0;
}

WAY crash_of_deleted_program(void) {
    char path[4096];
    own_path(path);
    if (unlink(path) != 0) exit(74);
    crash("null-write");
}

WAY crash_of_replaced_program(void) {
    char path[4096];
    char other[4200];
    own_path(path);
    snprintf(other, sizeof other, "%s.new", path);
    FILE *file = fopen(other, "w");
    if (file == NULL || fputs("another program\n", file) < 0 || fclose(file) != 0) exit(74);
    if (rename(other, path) != 0) exit(74);
    crash("null-write");
}

WAY crash_with_many_mappings(void) {
    enum { COUNT = 5000, PAGE = 4096 };
    char *area = mmap(NULL, (size_t)COUNT * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < COUNT; i += 2)
        mprotect(area + (size_t)i * PAGE, PAGE, PROT_NONE);
    crash("null-write");
}

const way wild_state_ways[] = {
    {"sp-zero", crash_stack_pointer_zero},
    {"sp-unmapped", crash_stack_pointer_unmapped},
    {"sp-noncanonical", crash_stack_pointer_noncanonical},
    {"pc-unmapped", crash_program_counter_unmapped},
    {"pc-noncanonical", crash_program_counter_noncanonical},
    {"pc-in-data", crash_program_counter_in_data},
    {"coroutine", crash_in_coroutine},
    {"no-call-table", crash_without_call_table},
    {"deleted-program", crash_of_deleted_program},
    {"replaced-program", crash_of_replaced_program},
    {"many-mappings", crash_with_many_mappings},
    {NULL, NULL},
};
