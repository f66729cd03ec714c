// SPDX-License-Identifier: Apache-2.0
//
// What an entry of the THREADS section is put together from. CRASH-TIME.

#ifndef EPITAPH_THREAD_PARTS_H
#define EPITAPH_THREAD_PARTS_H

#include "capture.h"

/// Writes STACK_REGION_ADDRESS and STACK_REGION_DATA for the stack `stack_pointer` lies in, at most
/// `limit` bytes and what the budget of all stacks leaves. `thread_data_address` may be 0. Returns
/// where that part ends.
uint64_t epitaph_stack_write(epitaph_capture *capture, uint64_t stack_pointer,
                             uint64_t thread_data_address, uint64_t limit, uint64_t tid);

/// Writes the outermost part of a stack of which `epitaph_stack_write` left something out, as an
/// entry of an open array of memory regions: a stack that overflowed is followed to where the
/// thread began.
void epitaph_stack_outermost_write(epitaph_capture *capture, uint64_t stack_pointer,
                                   uint64_t thread_data_address, uint64_t written_end);

/// Writes the bytes around an instruction pointer as an entry of an open array of memory regions,
/// unless they are in the dump already.
void epitaph_code_region_write(epitaph_capture *capture, uint64_t instruction_pointer);

/// The same for the bytes around each general register's value that may be a pointer.
void epitaph_pointed_memory_write(epitaph_capture *capture, const ucontext_t *context);

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

#endif
