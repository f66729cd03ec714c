// SPDX-License-Identifier: Apache-2.0
//
// glibc remembers where the kernel put the arguments; musl does not. Searches from the end of the
// auxiliary vector, because the program may have replaced `environ`.
//
//     argument count | arguments, NULL | environment, NULL | auxiliary vector | gap | random bytes
//
// create_elf_tables, fs/binfmt_elf.c.

#include "facts/facts.h"

#include <sys/auxv.h>

extern void *__libc_stack_end __attribute__((weak));

enum {
    /// Gap of at most 8 KiB (arch_align_stack), platform names, and the vector.
    VECTOR_REACH = 16 << 10,
    /// Limit of arguments and environment: three quarters of _STK_LIM, fs/exec.c.
    POINTER_LIMIT = (6 << 20) / sizeof(uint64_t),
    /// Entry types are smaller, addresses are not.
    TYPE_LIMIT = 1024,
};

static const uint64_t *find_entry(uint64_t random_bytes) {
    const uint64_t *word = (const uint64_t *)(random_bytes & ~7ull);
    for (size_t i = 0; i < VECTOR_REACH / sizeof *word; i++) {
        word--;
        if (word[0] == AT_RANDOM && word[1] == random_bytes) return word;
    }
    return NULL;
}

/// From the terminator of one list, finds that of the list below; NULL if it is too long.
static const uint64_t *list_before(const uint64_t *end) {
    for (size_t i = 1; i < POINTER_LIMIT; i++) {
        if (end[-(ptrdiff_t)i] == 0) return end - i;
    }
    return NULL;
}

static const uint64_t *count_before(const uint64_t *end) {
    for (size_t i = 0; i < POINTER_LIMIT; i++) {
        if (end[-(ptrdiff_t)i - 1] == i) return end - i - 1;
    }
    return NULL;
}

__attribute__((no_sanitize("address"))) uint64_t epitaph_main_stack_find(void) {
    if (&__libc_stack_end != NULL) return (uint64_t)__libc_stack_end;
    uint64_t random_bytes = getauxval(AT_RANDOM);
    const uint64_t *entry = random_bytes == 0 ? NULL : find_entry(random_bytes);
    if (entry == NULL) return 0;
    while (entry[-2] != 0 && entry[-2] < TYPE_LIMIT)
        entry -= 2;
    const uint64_t *environment_end = entry - 1;
    if (*environment_end != 0) return 0;
    const uint64_t *arguments_end = list_before(environment_end);
    return arguments_end == NULL ? 0 : (uint64_t)count_before(arguments_end);
}
