// SPDX-License-Identifier: Apache-2.0
//
// Where the main thread's stack begins.

#ifndef EPITAPH_FACTS_MAIN_STACK_H
#define EPITAPH_FACTS_MAIN_STACK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. The address of the argument count, which the kernel has put there for the program's
/// first instruction, psABI 3.4.1 (x86_64): the stack is below it, arguments and environment above.
/// 0 if it is not where it should be.
uint64_t epitaph_main_stack_find(void);

#pragma GCC visibility pop

#endif
