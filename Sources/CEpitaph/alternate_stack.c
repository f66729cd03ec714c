// SPDX-License-Identifier: Apache-2.0
//
// Alternate signal stacks: without one a thread whose stack has overflowed dies silently.

#include "alternate_stack.h"

#include "internal.h"
#include "thread_registration.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/// What our handler needs besides the frame the kernel makes, nested once. `Scripts/bench` does not
/// measure this; the deepest path is checked in the tests with a stack of this size and a guard
/// page below.
static const size_t handler_stack_bytes = 64 << 10;
static const size_t least_frame_bytes = 4096;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t stack_key;
static int has_key;

/// The kernel's frame holds all vector registers: 3 KiB with AVX-512, 11 KiB with AMX, more with
/// SVE. getauxval(3)
size_t epitaph_alternate_stack_size(void) {
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    if (frame < least_frame_bytes) frame = least_frame_bytes;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (frame + handler_stack_bytes + page - 1) / page * page;
}

/// Runs when a thread ends. Only a stack that is still ours to take away is.
static void release(void *memory) {
    stack_t present;
    if (sigaltstack(NULL, &present) != 0 || (present.ss_flags & SS_ONSTACK) != 0) return;
    if (present.ss_sp == memory) {
        stack_t off = {.ss_flags = SS_DISABLE};
        if (sigaltstack(&off, NULL) != 0) return;
    }
    epitaph_guarded_memory_free(memory, epitaph_alternate_stack_size());
}

static void make_key(void) {
    has_key = pthread_key_create(&stack_key, release) == 0;
}

int epitaph_alternate_stack_install(void) {
    stack_t present;
    if (sigaltstack(NULL, &present) != 0) return -1;
    size_t size = epitaph_alternate_stack_size();
    if ((present.ss_flags & SS_DISABLE) == 0 && present.ss_size >= size) return 0;
    if ((present.ss_flags & SS_ONSTACK) != 0) return -1;
    pthread_once(&key_once, make_key);
    if (!has_key) return -1;
    void *memory = epitaph_guarded_memory_make(size);
    if (memory == NULL) return -1;
    stack_t stack = {.ss_sp = memory, .ss_size = size};
    if (sigaltstack(&stack, NULL) != 0 || pthread_setspecific(stack_key, memory) != 0) {
        epitaph_guarded_memory_free(memory, size);
        return -1;
    }
    return 0;
}

epitaph_status epitaph_thread_prepare(void) {
    epitaph_thread_register();
    return epitaph_alternate_stack_install() == 0 ? EPITAPH_OK : EPITAPH_SYSTEM_ERROR;
}
