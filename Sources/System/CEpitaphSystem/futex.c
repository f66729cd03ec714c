// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_ns = 1000000000;

void epitaph_futex_wait(const void *word, uint32_t value, int64_t nanoseconds) {
    int error_number = errno;
    // FUTEX_WAIT takes a relative CLOCK_MONOTONIC timeout, futex(2).
    struct timespec limit = {.tv_sec = nanoseconds / second_ns, .tv_nsec = nanoseconds % second_ns};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
    errno = error_number;
}

void epitaph_futex_wake(const void *word) {
    int error_number = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error_number;
}
