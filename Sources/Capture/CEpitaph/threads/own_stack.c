// SPDX-License-Identifier: Apache-2.0
//
// What a thread knows of its own stack: a range below where it began that lies in the stack
// whatever else is in it. Memory from any address of the range up to its end can be read without
// asking the kernel, while a coroutine's or a handler's stack lies elsewhere.

#include "threads/alternate_stack.h"

#include <unistd.h>

static _Thread_local struct {
    uint64_t start;
    uint64_t end;
    int32_t tid;
} own __attribute__((tls_model("initial-exec")));

void epitaph_own_stack_note(uint64_t end, uint64_t bytes, int32_t tid) {
    own.start = end > bytes ? end - bytes : 0;
    own.end = end;
    own.tid = tid;
}

uint64_t epitaph_own_stack_end(uint64_t stack_pointer) {
    return stack_pointer > own.start && stack_pointer < own.end ? own.end : 0;
}

int32_t epitaph_own_tid(void) {
    return own.tid;
}

void epitaph_own_tid_change(int32_t tid) {
    own.tid = tid;
}
