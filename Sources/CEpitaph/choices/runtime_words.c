// SPDX-License-Identifier: Apache-2.0
//
// The thread-local memory of the module that runs tasks is found by dl_iterate_phdr(3). Each of its
// words is a candidate until it is something else than it should be.

#include "choices/runtime_words.h"

#include <link.h>
#include <stddef.h>

extern void swift_job_run(void) __attribute__((weak));

enum { WORD_LIMIT = 1024 };

static struct {
    const uint64_t *words;
    uint32_t word_count;
    bool is_out[WORD_LIMIT];
} memory;

typedef struct tls_block {
    const void *start;
    size_t bytes;
} tls_block;

static int find_block(struct dl_phdr_info *module, size_t size, void *argument) {
    tls_block *block = argument;
    size_t tls_bytes = 0;
    bool has_code = false;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *)) return 1;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uint64_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_TLS) tls_bytes = segment->p_memsz;
        if (segment->p_type != PT_LOAD) continue;
        if ((uint64_t)swift_job_run - start < segment->p_memsz) has_code = true;
    }
    if (!has_code) return 0;
    block->start = module->dlpi_tls_data;
    block->bytes = block->start == NULL ? 0 : tls_bytes;
    return 1;
}

/// Of the calling thread, whose block exists once it has run a task.
static void find_words(void) {
    tls_block block = {NULL, 0};
    if (swift_job_run != NULL) dl_iterate_phdr(find_block, &block);
    uint64_t start = ((uint64_t)block.start + 7) & ~UINT64_C(7);
    uint64_t end = ((uint64_t)block.start + block.bytes) & ~UINT64_C(7);
    memory.words = (const uint64_t *)start;
    memory.word_count = end > start ? (uint32_t)((end - start) / sizeof(uint64_t)) : 0;
    if (memory.word_count > WORD_LIMIT) memory.word_count = WORD_LIMIT;
}

static void expect(uint64_t value) {
    for (uint32_t i = 0; i < memory.word_count; i++) {
        if (__atomic_load_n(&memory.words[i], __ATOMIC_RELAXED) != value) memory.is_out[i] = true;
    }
}

void epitaph_runtime_words_begin(void) {
    for (uint32_t i = 0; i < WORD_LIMIT; i++)
        memory.is_out[i] = false;
    find_words();
    expect(0);
}

void epitaph_runtime_words_see(uint64_t task) {
    if (memory.words == NULL || memory.word_count == 0) find_words();
    expect(task);
}

bool epitaph_runtime_words_end(int64_t *offset) {
    expect(0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < memory.word_count; i++) {
        if (memory.is_out[i]) continue;
        const char *word = (const char *)&memory.words[i];
        *offset = (int64_t)(word - (const char *)__builtin_thread_pointer());
        count++;
    }
    return count == 1;
}
