// SPDX-License-Identifier: Apache-2.0
//
// Memory that is to be in a dump, or not to be.

#include "memory.h"

#include <epitaph.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_BYTES = 512 };

static char registered[] = "registered: bytes that the program wants";
static char cut[600000];
/// Far from everything that something points to.
static char wide[600000];

void register_memory(void) {
    // Two of them do not fit together.
    static char large[600000];
    memset(large, 'L', sizeof large);
    memset(cut, 'C', sizeof cut);
    epitaph_memory_register(registered, 10);
    epitaph_memory_register(registered, sizeof registered);
    epitaph_memory_register(registered + 4, 8);
    char *unregistered = wide + sizeof wide / 2;
    memset(unregistered, 'U', 100);
    epitaph_memory_register(unregistered, 100);
    epitaph_memory_unregister(unregistered);
    epitaph_memory_unregister(unregistered);
    epitaph_memory_register((void *)4096, 4096);
    epitaph_memory_register(large, sizeof large);
    epitaph_memory_register(cut, sizeof cut);
}

/// Only the stack points to the object when the process dies.
__attribute__((noinline)) void crash_with_object(void) {
    char *volatile object = calloc(1, OBJECT_BYTES);
    strcpy(object, "an object that only the stack points to");
    *(volatile int *)(uintptr_t)16 = 1;
    free(object);
}
