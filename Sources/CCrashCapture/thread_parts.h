// SPDX-License-Identifier: Apache-2.0
//
// What an entry of the THREADS section is put together from. CRASH-TIME.

#ifndef EPITAPH_THREAD_PARTS_H
#define EPITAPH_THREAD_PARTS_H

#include "capture.h"

#pragma GCC visibility push(hidden)

/// The stack `stack_pointer` lies in, from the red zone up, at most `limit` bytes and what the
/// budget of all stacks leaves; empty when there is none. `thread_data_address` may be 0. It is
/// noted in the table of mappings.
epitaph_range epitaph_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                 uint64_t thread_data_address, uint64_t limit);

/// The same for a thread that did not crash, with the limit of those. The budget cuts a small one
/// only when it is written.
epitaph_range epitaph_other_stack_find(epitaph_capture *capture, uint64_t stack_pointer,
                                       uint64_t thread_data_address);

/// Writes THREAD_STATE and FLOAT_STATE into the open map, without what stays out of dumps.
void epitaph_thread_registers_write(epitaph_capture *capture, const ucontext_t *context,
                                    bool is_in_system_call);

/// Whose stack it is and where.
typedef struct epitaph_stack_owner {
    int32_t tid;
    uint64_t stack_pointer;
    /// May be 0.
    uint64_t thread_data_address;
} epitaph_stack_owner;

/// Writes the outermost part of a stack of which there is more than `found`, which was to be at
/// most `limit` bytes, as an entry of an open array of memory regions: a stack that overflowed is
/// followed to where the thread began. What is in neither part is damage, where it is known that
/// the stack went on.
void epitaph_stack_outermost_write(epitaph_capture *capture, const epitaph_stack_owner *owner,
                                   epitaph_range found, uint64_t limit);

/// The stack pointer a thread had before it took the signal in whose handler, on an alternate
/// stack, `context` is; 0 when it is on no alternate stack, or nothing tells.
uint64_t epitaph_stack_find_interrupted(const ucontext_t *context);
/// Writes `stack`, which was found before, as an entry of an open array of memory regions.
void epitaph_stack_write_region(epitaph_capture *capture, epitaph_range stack);

/// The first part of `stack` that is in memory. The crashing thread's stack pointer may lead
/// anywhere; other threads ran on theirs until they were stopped.
epitaph_range epitaph_stack_present_part(const epitaph_capture *capture, epitaph_range stack,
                                         uint64_t thread_data_address);

/// Has `stack` read, for as long as its thread is written, without asking whether it is in memory.
void epitaph_stack_trust(const epitaph_capture *capture, epitaph_range stack,
                         uint64_t thread_data_address);

/// Writes STACK_REGION_ADDRESS and STACK_REGION_DATA for `stack`, which was found before.
void epitaph_stack_write(epitaph_capture *capture, epitaph_range stack, uint64_t tid);

/// The same for a thread that did not crash. Of a small stack a long run of zeros is left out, and
/// what is above it is written as STACK_UPPER_ADDRESS and STACK_UPPER_DATA. `stack` ends where the
/// budget of all stacks does.
void epitaph_other_stack_write(epitaph_capture *capture, epitaph_range *stack, uint64_t tid);

/// Write the memory worth having of a thread as entries of an open array of memory regions.
void epitaph_crashing_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                   epitaph_range stack);
void epitaph_other_memory_write(epitaph_capture *capture, const ucontext_t *context,
                                epitaph_range stack);

/// The readable mapping without code that holds `value`, or NULL, also for a value that points into
/// a stack that has a place of its own in the dump.
const epitaph_mapping *epitaph_data_mapping_find(const epitaph_capture *capture, uint64_t value);

/// Finds out which registered memory goes into the dump.
void epitaph_registered_memory_collect(epitaph_capture *capture);

/// Writes THREAD_NAME and THREAD_RUN_STATE as far as /proc tells them.
void epitaph_kernel_name_write(epitaph_capture *capture, int32_t tid);

/// Writes the system call a waiting thread is in and its two pointers; false, and nothing, for one
/// that runs.
bool epitaph_kernel_pointers_write(epitaph_capture *capture, int32_t tid, uint64_t *stack_pointer);

/// Fills in the name and the scheduling facts of a slot whose thread cannot do it itself.
void epitaph_kernel_describe(epitaph_thread_slot *slot);

/// Whether the thread is no more, or only a zombie is left of it.
bool epitaph_thread_has_ended(epitaph_capture *capture, int32_t tid);

bool epitaph_thread_blocks_stop_signal(epitaph_capture *capture, int32_t tid);

#pragma GCC visibility pop

#endif
