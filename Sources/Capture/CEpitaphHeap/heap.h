// SPDX-License-Identifier: Apache-2.0
//
// The parts of the sampler. All functions are ANY-TIME unless marked: allocators are called where
// any lock may be held, so nothing here takes one, waits, or calls what might. Readers of stacks
// know our functions by their names, so what may be in the middle of an allocation begins with
// epitaph_, static functions too.

#ifndef EPITAPH_HEAP_HEAP_H
#define EPITAPH_HEAP_HEAP_H

#include "epitaph_heap.h"
#include "epitaph_sanitizers.h"

// Built with a sanitizer nothing stands in for libc: its allocator has to be the only one.
#if EPITAPH_ADDRESSES_ARE_CHECKED || EPITAPH_THREADS_ARE_CHECKED || EPITAPH_MEMORY_IS_CHECKED
#define EPITAPH_HEAP_IS_SANITIZED 1
#endif

#pragma GCC visibility push(hidden)

#define EPITAPH_HEAP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

extern epitaph_heap_pool epitaph_heap_pool_now;
extern epitaph_heap_request epitaph_heap_request_now;

// The allocator below: the next one in the order of libraries, usually libc's.

typedef struct epitaph_heap_next_functions {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    void (*free)(void *block);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    int (*posix_memalign)(void **block, size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
    size_t (*malloc_usable_size)(void *block);
    void *(*dlopen)(const char *file, int mode);
} epitaph_heap_next_functions;

#ifdef EPITAPH_HEAP_IS_WRAPPED
#include "wrapping.h"
#else
/// Before they are found, functions that find them.
extern epitaph_heap_next_functions epitaph_heap_next;
#endif

/// Whether its malloc_usable_size knows the blocks of its malloc: both are of one file.
extern bool epitaph_heap_knows_sizes;

/// QUIET-TIME. Whether every call of the program comes here: no other library's function is before.
epitaph_heap_refusal epitaph_heap_place(void);

#ifdef EPITAPH_HEAP_IS_WRAPPED
/// Whether the block that is asked for now has to be one of the allocator below.
bool epitaph_heap_has_to_pass(void);
#else
static inline bool epitaph_heap_has_to_pass(void) {
    return false;
}
#endif

/// QUIET-TIME. Whether a call by this name reaches this function; false if that cannot be proved.
bool epitaph_heap_is_reached(const char *name, const void *function);

/// QUIET-TIME. Whether a sanitizer's allocator is in the process.
bool epitaph_heap_has_sanitizer(void);

// Which allocation is sampled.

/// Allocations of this thread before the next one that is looked at more closely.
extern _Thread_local int32_t epitaph_heap_countdown __attribute__((tls_model("initial-exec")));

/// The number of allocations before the next sampled one: geometrically distributed, so that each
/// allocation has the same chance. With rate 0 a number after which to ask again.
int32_t epitaph_heap_countdown_draw(uint64_t rate);

/// Random bits of this thread, not for secrets.
uint32_t epitaph_heap_random(void);

/// QUIET-TIME. For the rate at which countdowns will be drawn.
void epitaph_heap_countdown_prepare(uint64_t rate);

/// Whether the process has not sampled too many of late; counts one if so.
bool epitaph_heap_can_afford_sample(uint64_t rate);

/// CLOCK_MONOTONIC_COARSE, nanoseconds.
uint64_t epitaph_heap_now_ns(void);

// Blocks of the pool.

/// What malloc(3) aligns to: max_align_t, psABI 3.1.2 and AAPCS64 5.
enum { EPITAPH_HEAP_USUAL_ALIGNMENT = 16 };

/// Reserves the pool once; false without memory or room in the address space.
bool epitaph_heap_pool_make(uint32_t block_limit);

/// The address lies in the pool.
static inline bool epitaph_heap_has(const void *address) {
    return (uint64_t)address - epitaph_heap_pool_now.start < epitaph_heap_pool_now.bytes;
}

/// A block of the pool, or NULL: not now. Preserves errno.
void *epitaph_heap_take(size_t size, size_t alignment);

/// Ends a block. Preserves errno. Does not return if the address is not of a block in use.
void epitaph_heap_give(void *block);

/// The size of a block in use; 0 for any other address of the pool.
size_t epitaph_heap_size(const void *block);

/// realloc(3) of a block of the pool.
void *epitaph_heap_resize(void *block, size_t size);

// Which slots are free. A slot belongs to whoever changes its state to CHANGING; a thread that dies
// or is left behind by fork(2) meanwhile costs its slot.

enum { EPITAPH_HEAP_NEVER_USED = 0 };

/// Takes the slot of the size that was freed longest ago; NULL: none. `state` is what it was.
epitaph_heap_slot *epitaph_heap_slot_take(bool is_large, uint32_t *index, uint32_t *state);
/// Takes a slot in this state; false if it is in another.
bool epitaph_heap_slot_take_in(epitaph_heap_slot *slot, uint32_t state);
/// Gives a slot back in this state.
void epitaph_heap_slot_give(uint32_t index, uint32_t state);

/// QUIET-TIME. Before the first slot is taken.
void epitaph_heap_free_slots_begin(uint32_t *order);

// What is kept of a moment, and of the bytes beside a block.

/// The calling function's registers, its callers' stack, thread, time and scope.
__attribute__((noinline)) void epitaph_heap_moment_note(epitaph_heap_moment *moment);

/// A slot, and the block in it.
typedef struct epitaph_heap_extent {
    uint64_t start;
    uint64_t end;
    uint64_t block;
    uint64_t block_end;
} epitaph_heap_extent;

void epitaph_heap_padding_fill(epitaph_heap_extent extent);

/// The address of the first byte beside the block that was written; 0: none.
uint64_t epitaph_heap_padding_check(epitaph_heap_extent extent);

// Errors that no fault shows.

/// Ends the process by abort(3), as the allocator below does when it notices such an error.
_Noreturn void epitaph_heap_end(epitaph_dump_heap_error error, uint64_t address);

/// Reports, or ends the process if that was chosen.
void epitaph_heap_tell_overwritten(uint64_t address, const uint8_t found[EPITAPH_HEAP_FOUND_BYTES],
                                   uint32_t count);

#pragma GCC visibility pop

#endif
