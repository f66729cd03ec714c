// SPDX-License-Identifier: Apache-2.0

#ifndef CRASH_DUMMY_MEMORY_H
#define CRASH_DUMMY_MEMORY_H

/// Registers two ranges with Epitaph that fit, a third that does not, and others that do not count.
void register_memory(void);

/// Dies of a null write with a pointer to a heap object on the stack.
void crash_with_object(void);

#endif
