// SPDX-License-Identifier: Apache-2.0
//
// Memory that does not come, and memory that comes back.

#include "common.h"
#include "starting.h"
#include "ways.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, FILE_BYTES = 1 << 20 };

/// A page that every reader, the kernel too, waits for: the descriptor is never served.
static char *page_that_never_comes(void) {
    int descriptor = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    struct uffdio_api api = {.api = UFFD_API};
    if (descriptor < 0 || ioctl(descriptor, UFFDIO_API, &api) != 0) give_up("userfaultfd");
    char *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) give_up("mmap");
    struct uffdio_register range = {.range = {(uintptr_t)memory, PAGE},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (ioctl(descriptor, UFFDIO_REGISTER, &range) != 0) give_up("UFFDIO_REGISTER");
    return memory;
}

__attribute__((noinline)) static void crash_pointing_to(char *memory) {
    // In a register, whichever, before and after.
    __asm__ volatile("" : "+r"(memory));
    *(volatile int *)(uintptr_t)16 = 1;
    __asm__ volatile("" : "+r"(memory));
}

static void crash_beside_page(const char *database, const char *argument) {
    (void)argument;
    start_epitaph(database);
    start_idle_threads(2);
    crash_pointing_to(page_that_never_comes());
}

static void *spin_pointing_to(void *memory) {
    for (;;)
        __asm__ volatile("" : "+r"(memory));
    return memory;
}

static void live_beside_page(const char *database, const char *argument) {
    (void)argument;
    start_epitaph(database);
    start_heartbeat();
    pthread_t thread;
    pthread_create(&thread, NULL, spin_pointing_to, page_that_never_comes());
    usleep(20000);
    dump_alive();
    tell_heartbeat();
    exit(0);
}

/// Another process replaces the contents of the file in place, as cp(1) does, until this one is
/// gone.
static void replace_for_ever(const char *path, pid_t parent) {
    while (getppid() == parent) {
        usleep(5000);
        if (truncate(path, 0) != 0) _exit(1);
        usleep(200);
        if (truncate(path, FILE_BYTES) != 0) _exit(1);
    }
    _exit(0);
}

static void fault_for_a_moment(const char *database, const char *argument) {
    static const char path[] = "mapped";
    (void)argument;
    start_epitaph(database);
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, FILE_BYTES) != 0) give_up(path);
    volatile char *mapped = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) give_up("mmap");
    start_idle_threads(1);
    pid_t parent = getpid();
    if (fork() == 0) replace_for_ever(path, parent);
    // Whoever survives the fault never ends by itself.
    for (volatile long sum = 0;;)
        sum += mapped[17 * PAGE] + mapped[200 * PAGE];
}

const way memory_ways[] = {
    {"page-crash", crash_beside_page},
    {"page-live", live_beside_page},
    {"transient", fault_for_a_moment},
    {NULL, NULL},
};
