// SPDX-License-Identifier: Apache-2.0
//
// HEAP_SAMPLING: how many allocations are sampled, and the block that the fault or the error is
// about. The sampler's records are memory of the program, so they are read like any other.

#include "sections/sections.h"

#include "epitaph_heap_pool.h"

#include <time.h>

enum {
    WORD = sizeof(uint64_t),
    /// In the scratch: a moment, its registers, and its stack with zeros for what is not known.
    REGISTERS_OFFSET = sizeof(epitaph_heap_moment),
    STACK_OFFSET = REGISTERS_OFFSET + 512,
    STACK_BYTES = EPITAPH_HEAP_STACK_WORDS * WORD,
};

_Static_assert(STACK_OFFSET + STACK_BYTES <= EPITAPH_SCRATCH_SIZE, "it fits into the scratch");
_Static_assert(STACK_OFFSET % WORD == 0, "words are aligned");

/// Nothing that the pool says of itself is believed if it cannot be.
static bool load_pool(epitaph_heap_pool *pool) {
    const epitaph_heap_pool *shared =
        __atomic_load_n(&epitaph_capture_settings_now.heap_pool, __ATOMIC_ACQUIRE);
    if (shared == NULL) return false;
    if (!epitaph_memory_read_exactly(pool, (uint64_t)shared, sizeof *pool)) return false;
    return pool->version == EPITAPH_HEAP_VERSION && pool->slot_count != 0 &&
           pool->slot_count <= EPITAPH_HEAP_BLOCK_LIMIT * EPITAPH_HEAP_SLOTS_PER_BLOCK &&
           pool->small_count <= pool->slot_count && pool->page_bytes >= EPITAPH_HEAP_PADDING &&
           pool->page_bytes <= pool->large_bytes && pool->large_bytes <= pool->bytes;
}

static bool is_in_pool(const epitaph_heap_pool *pool, uint64_t address) {
    return address - pool->start < pool->bytes;
}

/// The fault's address if a fault ends the process, as for a load or store, otherwise 0.
static uint64_t fault_address(const epitaph_capture *capture) {
    bool is_fault = capture->info != NULL && capture->info->si_code > 0 &&
                    (capture->signal == SIGSEGV || capture->signal == SIGBUS);
    return is_fault ? epitaph_pointer_address((uint64_t)capture->info->si_addr) : 0;
}

static void write_stack(epitaph_capture *capture, const epitaph_heap_moment *moment,
                        uint32_t word_count, uint32_t kept_count) {
    uint64_t *stack = (uint64_t *)(void *)(capture->scratch + STACK_OFFSET);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < word_count; i++) {
        bool is_kept = (moment->present[i / 64] >> (i % 64) & 1) != 0 && kept < kept_count;
        stack[i] = is_kept ? moment->words[kept++] : 0;
    }
    uint64_t address = moment->registers[1];
    epitaph_blank(&capture->blanking,
                  epitaph_copy_of((uint8_t *)stack, word_count * WORD, address));
    epitaph_writer_u64(&capture->writer, EPITAPH_KEY_STACK_REGION_ADDRESS, address);
    epitaph_writer_bytes(&capture->writer, EPITAPH_KEY_STACK_REGION_DATA, stack, word_count * WORD);
}

static uint32_t lower(uint32_t number, uint32_t limit) {
    return number < limit ? number : limit;
}

static void write_moment(epitaph_capture *capture, epitaph_dump_key key, uint64_t address) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_heap_moment *moment = (const void *)capture->scratch;
    if (!epitaph_memory_read_exactly(capture->scratch, address, sizeof *moment)) return;
    if (moment->time_ns == 0) return;
    epitaph_writer_map_start(writer, key);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_MOMENT_TIME, moment->time_ns);
    if (moment->tid != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_ID, (uint64_t)moment->tid);
    }
    if (moment->thread_name[0] != 0) {
        epitaph_writer_text(writer, EPITAPH_KEY_THREAD_NAME, moment->thread_name,
                            sizeof moment->thread_name);
    }
    void *registers = capture->scratch + REGISTERS_OFFSET;
    size_t count = epitaph_registers_of_call(moment->registers, registers);
    epitaph_writer_bytes(writer, EPITAPH_KEY_THREAD_STATE, registers, count);
    write_stack(capture, moment, lower(moment->stack_words, EPITAPH_HEAP_STACK_WORDS),
                lower(moment->kept_words, EPITAPH_HEAP_KEPT_WORDS));
    epitaph_attributes_write(writer, EPITAPH_KEY_SCOPE_ATTRIBUTES, moment->attributes,
                             lower(moment->attribute_bytes, EPITAPH_HEAP_ATTRIBUTE_BYTES));
    epitaph_writer_end(writer);
}

/// Of a block in use it is read now.
static void write_first_word(epitaph_capture *capture, const epitaph_heap_slot *slot) {
    uint64_t word = slot->first_word;
    if (slot->state == EPITAPH_BLOCK_LIVE) {
        bool is_read = slot->size >= sizeof word &&
                       epitaph_memory_read_exactly(&word, slot->address, sizeof word);
        if (!is_read || !epitaph_heap_may_be_address(word)) word = 0;
    }
    if (word != 0) epitaph_writer_u64(&capture->writer, EPITAPH_KEY_HEAP_BLOCK_WORD, word);
}

static void write_block(epitaph_capture *capture, const epitaph_heap_pool *pool, uint32_t index) {
    epitaph_writer *writer = &capture->writer;
    epitaph_heap_slot slot;
    if (index >= pool->slot_count) return;
    if (!epitaph_memory_read_exactly(&slot, (uint64_t)(pool->slots + index), sizeof slot)) return;
    if (slot.state == 0) return;
    epitaph_writer_map_start(writer, EPITAPH_KEY_HEAP_BLOCKS);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_BLOCK_ADDRESS, slot.address);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_BLOCK_SIZE, slot.size);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_BLOCK_ALIGNMENT, slot.alignment);
    epitaph_writer_u8(writer, EPITAPH_KEY_HEAP_BLOCK_STATE, (uint8_t)slot.state);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_SLOT_ADDRESS, epitaph_heap_slot_start(pool, index));
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_SLOT_SIZE, epitaph_heap_slot_bytes(pool, index));
    write_first_word(capture, &slot);
    uint64_t moments = (uint64_t)(pool->moments + 2 * (size_t)index);
    write_moment(capture, EPITAPH_KEY_HEAP_ALLOCATED, moments);
    if (slot.state == EPITAPH_BLOCK_FREED) {
        write_moment(capture, EPITAPH_KEY_HEAP_FREED, moments + sizeof(epitaph_heap_moment));
    }
    epitaph_writer_end(writer);
}

/// In a guard page the blocks of both sides.
static void write_blocks(epitaph_capture *capture, const epitaph_heap_pool *pool,
                         uint64_t address) {
    uint32_t index;
    bool is_in_slot = epitaph_heap_slot_find(pool, address, &index);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_HEAP_BLOCKS);
    if (!is_in_slot && index > 0) write_block(capture, pool, index - 1);
    write_block(capture, pool, index);
    epitaph_writer_end(&capture->writer);
}

static void write_error(epitaph_capture *capture, const epitaph_heap_pool *pool) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_heap_finding *finding = &pool->finding;
    uint64_t fault = fault_address(capture);
    if (is_in_pool(pool, fault)) {
        epitaph_writer_u8(writer, EPITAPH_KEY_HEAP_ERROR, EPITAPH_HEAP_FAULT);
        epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_ERROR_ADDRESS, fault);
        write_blocks(capture, pool, fault);
    } else if (finding->error != 0 && finding->tid == capture->tid && fault == 0) {
        epitaph_writer_u8(writer, EPITAPH_KEY_HEAP_ERROR, (uint8_t)finding->error);
        epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_ERROR_ADDRESS, finding->address);
        if (finding->found_bytes != 0) {
            epitaph_writer_bytes(writer, EPITAPH_KEY_HEAP_ERROR_BYTES, finding->found,
                                 lower(finding->found_bytes, EPITAPH_HEAP_FOUND_BYTES));
        }
        write_blocks(capture, pool, finding->address);
    }
}

void epitaph_heap_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    epitaph_heap_pool pool;
    if (!load_pool(&pool)) return;
    epitaph_writer_map_start(writer, EPITAPH_KEY_HEAP_SAMPLING);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_RATE, pool.rate);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_SAMPLED, pool.sampled);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_CAUGHT, pool.caught);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_POOL_ADDRESS, pool.start);
    epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_POOL_SIZE, pool.bytes);
    if (!capture->is_silent) {
        epitaph_writer_u64(writer, EPITAPH_KEY_HEAP_NOW,
                           epitaph_sys_clock_ns(CLOCK_MONOTONIC_COARSE));
    }
    write_error(capture, &pool);
    epitaph_writer_end(writer);
}
