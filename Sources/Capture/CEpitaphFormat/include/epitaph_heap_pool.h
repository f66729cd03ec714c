// SPDX-License-Identifier: Apache-2.0
//
// What the library of sampled allocations (CEpitaphHeap) and the crash reporter agree on. They may
// be of different files and versions, so both sides check `version`, and the reporter reads the
// pool as memory of the program: it may have been overwritten.
//
// The pool is one reservation of addresses, first slots of one page, then large ones:
//
//     guard | slot 0 | guard | slot 1 | guard | … | slot n - 1 | guard
//
// A slot is accessible while its block is in use, a guard, one page, never.

#ifndef EPITAPH_HEAP_POOL_H
#define EPITAPH_HEAP_POOL_H

#include "epitaph_dump_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_HEAP_VERSION = 2,
    /// Slots for each block that may be in use at once: the others hold freed blocks.
    EPITAPH_HEAP_BLOCK_LIMIT = 1024,
    EPITAPH_HEAP_SLOTS_PER_BLOCK = 5,
    EPITAPH_HEAP_LARGE_PER_BLOCK = 1,
    /// A large slot, unless a page is larger: the largest block that is sampled.
    EPITAPH_HEAP_LARGE_BYTES = 32 << 10,
    /// Program counter, stack pointer and what functions preserve (psABI 3.2.1; AAPCS64 6.1.1).
    EPITAPH_HEAP_REGISTERS = 14,
    EPITAPH_HEAP_ATTRIBUTE_BYTES = 512,
    /// How far a copy of a stack reaches, and how many of its words are kept: those that may be
    /// addresses.
    EPITAPH_HEAP_STACK_WORDS = 2048,
    EPITAPH_HEAP_KEPT_WORDS = 397,
    /// PR_GET_NAME, prctl(2).
    EPITAPH_HEAP_NAME_BYTES = 16,
    /// Bytes beside a block that are filled and compared when it is freed.
    EPITAPH_HEAP_PADDING = 128,
    EPITAPH_HEAP_FOUND_BYTES = 16,
};

/// Where a block was allocated or freed: 4,096 bytes.
typedef struct epitaph_heap_moment {
    /// CLOCK_MONOTONIC_COARSE, nanoseconds.
    uint64_t time_ns;
    /// 0: not known.
    int32_t tid;
    uint32_t attribute_bytes;
    /// Empty: not known.
    char thread_name[EPITAPH_HEAP_NAME_BYTES];
    uint64_t registers[EPITAPH_HEAP_REGISTERS];
    /// Words of the stack from the stack pointer on, and how many of them are in `words`.
    uint32_t stack_words;
    uint32_t kept_words;
    /// Bit n of word n / 64: word n of the stack is the next of `words`; all others are not known.
    uint64_t present[EPITAPH_HEAP_STACK_WORDS / 64];
    uint64_t words[EPITAPH_HEAP_KEPT_WORDS];
    /// Attribute records of the thread's scope.
    uint8_t attributes[EPITAPH_HEAP_ATTRIBUTE_BYTES];
} epitaph_heap_moment;

/// All zeros: the slot was never used.
typedef struct epitaph_heap_slot {
    /// An `epitaph_dump_block_state`; atomic.
    uint32_t state;
    uint32_t alignment;
    uint64_t address;
    uint64_t size;
    /// The block's first word when it was freed, if it may be an address, otherwise 0: objects of
    /// Swift and C++ begin with that of their type.
    uint64_t first_word;
} epitaph_heap_slot;

/// An error without a fault, found by the thread `tid`, which ends or reports now.
typedef struct epitaph_heap_finding {
    /// An `epitaph_dump_heap_error`; 0: none. Atomic.
    uint32_t error;
    int32_t tid;
    uint64_t address;
    uint32_t found_bytes;
    uint8_t found[EPITAPH_HEAP_FOUND_BYTES];
} epitaph_heap_finding;

typedef struct epitaph_heap_pool {
    uint32_t version;
    uint32_t slot_count;
    uint64_t start;
    uint64_t bytes;
    /// The slots of one page come first.
    uint32_t small_count;
    uint32_t block_limit;
    uint64_t page_bytes;
    uint64_t large_bytes;
    epitaph_heap_slot *slots;
    /// Two a slot: allocated, freed.
    epitaph_heap_moment *moments;
    /// One allocation in `rate`; 0: none, for now. Atomic, as all below.
    uint64_t rate;
    uint64_t sampled;
    uint64_t caught;
    uint32_t in_use;
    epitaph_heap_finding finding;
} epitaph_heap_pool;

/// What the sampler asks of the crash reporter. All ANY-TIME but `report`.
typedef struct epitaph_heap_host {
    /// The end of the calling thread's stack if `stack_pointer` is proven to lie in it; 0: unknown.
    uint64_t (*stack_end)(uint64_t stack_pointer);
    /// The calling thread's id; 0: not known without a system call.
    int32_t (*tid)(void);
    /// Stores the calling thread's name, empty if no system call may ask for it.
    void (*thread_name)(char name[EPITAPH_HEAP_NAME_BYTES]);
    /// Copies attribute records of the calling thread's scope; returns their bytes.
    uint32_t (*scope)(uint8_t *records, uint32_t size);
    /// False if the program has installed a seccomp filter, which may end it for mprotect(2).
    bool (*may_call)(void);
    /// QUIET-TIME. Writes a report of an error that the program survives.
    void (*report)(const char *what);
} epitaph_heap_host;

typedef struct epitaph_heap_request {
    uint32_t version;
    uint32_t block_limit;
    uint64_t rate;
    /// Whether bytes written beside a block end the program, as a double free does.
    bool overwritten_ends;
    epitaph_heap_host host;
} epitaph_heap_request;

/// Why no allocation is sampled.
typedef enum epitaph_heap_refusal {
    EPITAPH_HEAP_SAMPLES = 0,
    EPITAPH_HEAP_OTHER_VERSION,
    /// Another library's or the program's own malloc or free comes first.
    EPITAPH_HEAP_IS_NOT_FIRST,
    EPITAPH_HEAP_SANITIZER,
    EPITAPH_HEAP_NO_MEMORY,
    // Of libepitaph-heap-static alone.
    /// The program has a dynamic linker, or its libc has loaded a library.
    EPITAPH_HEAP_IS_NOT_STATIC,
    /// The linker was not told of every function.
    EPITAPH_HEAP_IS_NOT_WRAPPED,
} epitaph_heap_refusal;

/// The sampler, in libepitaph-heap and in programs that link CEpitaphHeap.
typedef struct epitaph_heap_sampler {
    uint32_t version;
    epitaph_heap_pool *pool;
    /// QUIET-TIME. Begins to sample, or goes on with another rate.
    epitaph_heap_refusal (*start)(const epitaph_heap_request *request);
    /// QUIET-TIME. Samples no more. Blocks in use stay where they are.
    void (*stop)(void);
} epitaph_heap_sampler;

/// ANY-TIME. User space has 47 bits on x86_64 and 48 or 52 on aarch64 (Documentation/arch/x86/
/// x86_64/mm.rst, arm64/memory.rst). Eight letters are far above, a small number is below.
static inline bool epitaph_heap_may_be_address(uint64_t word) {
    return word >= 1 << 16 && word < 1ull << 48;
}

/// ANY-TIME. From a guard's start to the next one's.
static inline uint64_t epitaph_heap_stride(const epitaph_heap_pool *pool, bool is_large) {
    return pool->page_bytes + (is_large ? pool->large_bytes : pool->page_bytes);
}

static inline bool epitaph_heap_is_large(const epitaph_heap_pool *pool, uint32_t slot) {
    return slot >= pool->small_count;
}

/// ANY-TIME. Bytes of a slot, and its first one.
static inline uint64_t epitaph_heap_slot_bytes(const epitaph_heap_pool *pool, uint32_t slot) {
    return epitaph_heap_is_large(pool, slot) ? pool->large_bytes : pool->page_bytes;
}
static inline uint64_t epitaph_heap_slot_start(const epitaph_heap_pool *pool, uint32_t slot) {
    bool is_large = epitaph_heap_is_large(pool, slot);
    uint64_t small = is_large ? pool->small_count : slot;
    return pool->start + pool->page_bytes + small * epitaph_heap_stride(pool, false) +
           (slot - small) * epitaph_heap_stride(pool, true);
}

/// ANY-TIME. Of an address in the pool, the slot in which or below which it lies: true in the slot,
/// false in the guard before it. The guard at the pool's end has the number of slots.
static inline bool epitaph_heap_slot_find(const epitaph_heap_pool *pool, uint64_t address,
                                          uint32_t *slot) {
    uint64_t offset = address - pool->start;
    uint64_t small_bytes = pool->small_count * epitaph_heap_stride(pool, false);
    bool is_large = offset >= small_bytes;
    uint64_t in_area = is_large ? offset - small_bytes : offset;
    uint64_t stride = epitaph_heap_stride(pool, is_large);
    *slot = (uint32_t)(in_area / stride) + (is_large ? pool->small_count : 0);
    return in_area % stride >= pool->page_bytes;
}

#pragma GCC visibility pop

#endif
