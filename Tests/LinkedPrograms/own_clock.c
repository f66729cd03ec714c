// SPDX-License-Identifier: Apache-2.0
//
// Crashes in another year, as with libfaketime: its clock stands in for libc's in all libraries.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += clock == CLOCK_REALTIME ? -365 * 24 * 60 * 60 : 60 * 60;
    return result;
}

int main(void) {
    *(volatile int *)16 = 1;
    return 0;
}
