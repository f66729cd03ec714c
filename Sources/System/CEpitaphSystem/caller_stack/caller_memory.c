// SPDX-License-Identifier: Apache-2.0

#include "caller_parts.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

/// Above the main thread's first frame, below the environment. Exported by ld.so(8).
extern void *__libc_stack_end;

enum {
    PAGE = 4096,
    /// The kernel maps nothing this close below the main stack's top: mmap_base keeps 128 MiB,
    /// arch/x86/mm/mmap.c and mm/util.c. A program still can.
    MAIN_STACK_BYTES = 64 << 20,
};

static epitaph_caller_limits main_limits(void) {
    struct rlimit limit;
    uint64_t size = MAIN_STACK_BYTES;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size) size = limit.rlim_cur;
    uint64_t high = (uint64_t)__libc_stack_end;
    return (epitaph_caller_limits){.low = high - size, .high = high};
}

static epitaph_caller_limits thread_limits(void) {
    epitaph_caller_limits limits = {0, 0};
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return limits;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        limits.low = (uint64_t)start;
        limits.high = limits.low + size;
    }
    pthread_attr_destroy(&attributes);
    return limits;
}

static _Thread_local epitaph_caller_limits known;
static _Thread_local bool is_known;

epitaph_caller_limits epitaph_caller_limits_get(void) {
    if (!is_known) {
        known = gettid() == getpid() ? main_limits() : thread_limits();
        is_known = true;
    }
    return known;
}

// libc puts the control block at the upper end of the stack: allocate_stack, nptl/allocatestack.c.
uint64_t epitaph_caller_stack_end(uint64_t address, size_t count) {
    uint64_t of_main = (uint64_t)__libc_stack_end;
    if (address < of_main && of_main - address <= count) return of_main;
    uint64_t control_block = (uint64_t)__builtin_thread_pointer();
    if (address < control_block && control_block - address <= count) return control_block;
    return 0;
}

size_t epitaph_caller_memory_read(void *to, uint64_t address, size_t count) {
    // process_vm_readv(2) copies whole elements only, so each page is one.
    struct iovec remote[EPITAPH_CALLER_STACK_BYTES / PAGE + 1];
    struct iovec local = {.iov_base = to, .iov_len = count};
    unsigned long pages = 0;
    for (size_t offset = 0; offset < count;) {
        size_t length = PAGE - (address + offset) % PAGE;
        if (length > count - offset) length = count - offset;
        // NOLINTNEXTLINE: an address, which only the kernel follows.
        remote[pages++] = (struct iovec){.iov_base = (void *)(address + offset), .iov_len = length};
        offset += length;
    }
    ssize_t got = process_vm_readv(getpid(), &local, 1, remote, pages, 0);
    return got < 0 ? 0 : (size_t)got;
}

__attribute__((no_sanitize("address", "thread"))) void
epitaph_caller_memory_copy(void *to, uint64_t address, size_t count) {
    const volatile uint64_t *from = (const volatile uint64_t *)address;
    uint64_t *target = to;
    for (size_t i = 0; i < count / sizeof *target; i++)
        target[i] = from[i];
}
