// SPDX-License-Identifier: Apache-2.0
//
// What is stored about a crash before its first system call: the reason, the registers, the top of
// the stack and the runtimes' messages. Whatever ends the process from then on, SIGKILL or a filter
// that forbids the next call, this report exists and is correct. docs/dump-format.md, "The head".
// CRASH-TIME.

#ifndef EPITAPH_HANDLER_FIRST_RECORD_H
#define EPITAPH_HANDLER_FIRST_RECORD_H

#include "epitaph_dump_file_state.h"
#include "memory/blanking.h"

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// Stores the record into the head of `file`, which the caller has taken.
void epitaph_first_record_store(epitaph_dump_file *file, int signal, const siginfo_t *info,
                                const ucontext_t *context);

/// Fills in what only the kernel knows; 0 for values that are not known.
void epitaph_first_record_complete(int32_t pid, int32_t tid, uint64_t time_ns);

/// The offset behind the record in the head, or where it would be if it could not be stored.
uint64_t epitaph_first_record_end(const epitaph_dump_file *file);

/// Blanks its registers and its stack again, if it is in the head of `file`: what the program has
/// added to its environment since the start was not known when they were stored.
void epitaph_first_record_blank(const epitaph_dump_file *file, epitaph_blanking *blanking);

#pragma GCC visibility pop

#endif
