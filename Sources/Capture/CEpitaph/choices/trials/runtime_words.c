// SPDX-License-Identifier: Apache-2.0
//
// Finds a module's TLS block by dl_iterate_phdr(3). A word with an unexpected value is ruled out.

#include "choices/trials/trials.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

typedef struct tls_block {
    uint64_t code;
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
        if (block->code - start < segment->p_memsz) has_code = true;
    }
    if (!has_code) return 0;
    block->start = module->dlpi_tls_data;
    block->bytes = block->start == NULL ? 0 : tls_bytes;
    return 1;
}

/// Of the calling thread; its block exists once the runtime has used it.
static void find_words(epitaph_runtime_words *words) {
    tls_block block = {(uint64_t)words->code, NULL, 0};
    if (words->code != NULL) dl_iterate_phdr(find_block, &block);
    uint64_t start = ((uint64_t)block.start + 7) & ~UINT64_C(7);
    uint64_t end = ((uint64_t)block.start + block.bytes) & ~UINT64_C(7);
    words->words = (const uint64_t *)start;
    words->word_count = end > start ? (uint32_t)((end - start) / sizeof(uint64_t)) : 0;
    if (words->word_count > EPITAPH_RUNTIME_WORD_LIMIT) {
        words->word_count = EPITAPH_RUNTIME_WORD_LIMIT;
    }
}

static void expect(epitaph_runtime_words *words, uint64_t value) {
    for (uint32_t i = 0; i < words->word_count; i++) {
        if (__atomic_load_n(&words->words[i], __ATOMIC_RELAXED) != value) words->is_out[i] = true;
    }
}

void epitaph_runtime_words_begin(epitaph_runtime_words *words, const void *code) {
    memset(words, 0, sizeof *words);
    words->code = code;
    find_words(words);
    expect(words, 0);
}

void epitaph_runtime_words_see(epitaph_runtime_words *words, uint64_t value) {
    if (words->word_count == 0) find_words(words);
    expect(words, value);
}

bool epitaph_runtime_words_end(epitaph_runtime_words *words, int64_t *offset) {
    expect(words, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < words->word_count; i++) {
        if (words->is_out[i]) continue;
        const char *word = (const char *)&words->words[i];
        *offset = (int64_t)(word - (const char *)__builtin_thread_pointer());
        count++;
    }
    return count == 1;
}
