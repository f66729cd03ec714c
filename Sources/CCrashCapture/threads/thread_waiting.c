// SPDX-License-Identifier: Apache-2.0
//
// Many system calls fail with EINTR when a handler has run, SA_RESTART or not: poll, epoll_wait,
// nanosleep, any wait on a socket with a timeout; signal(7). /proc/self/task/TID/syscall shows
// whether a thread is in one, proc(5).

#include "threads/thread_waiting.h"

#include "system/bytes.h"
#include "threads/thread_kernel_facts.h"

#include <asm/unistd.h>

enum { FUTEX_TIMEOUT_ARGUMENT = 3 };

/// "202 0x7f… 0x189 0x0 0x0 …": the number and six arguments.
static bool is_futex_without_timeout(const char *next, const char *end) {
    if (epitaph_text_read_decimal(&next, end) != __NR_futex) return false;
    for (int argument = 0; argument <= FUTEX_TIMEOUT_ARGUMENT; argument++) {
        if (end - next < 4 || next[0] != ' ' || next[1] != '0' || next[2] != 'x') return false;
        next += 3;
        uint64_t value = epitaph_text_read_hex(&next, end);
        if (argument == FUTEX_TIMEOUT_ARGUMENT) return value == 0;
    }
    return false;
}

bool epitaph_thread_may_be_interrupted(int32_t tid) {
    char text[256];
    size_t length = epitaph_task_file_read(tid, "/syscall", text, sizeof text);
    if (length == 0) return false;
    if (text[0] == 'r') return true;  // "running"
    return is_futex_without_timeout(text, text + length);
}
