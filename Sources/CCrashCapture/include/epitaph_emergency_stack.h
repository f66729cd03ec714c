// SPDX-License-Identifier: Apache-2.0
//
// The stack for captures of threads that crash where there is too little room. Internal to the
// package.

#ifndef EPITAPH_EMERGENCY_STACK_H
#define EPITAPH_EMERGENCY_STACK_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// QUIET-TIME. The stack for captures of threads that crash where there is too little room; with
/// unreadable pages around it; it must stay mapped until the process ends.
void epitaph_emergency_stack_set(void *memory, size_t size);

#pragma GCC visibility pop

#endif
