// SPDX-License-Identifier: Apache-2.0
//
// LD_PRELOAD this: libc's allocating functions, which end the process when they are called on an
// alternate signal stack, where nothing but Epitaph's handlers runs in the test programs. The heap
// of a crashed process may be locked or broken.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CAUGHT_STATUS = 97 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void check(void) {
    static const char words[] = "allocation in a signal handler\n";
    stack_t present;
    if (syscall(SYS_sigaltstack, NULL, &present) != 0 || (present.ss_flags & SS_ONSTACK) == 0)
        return;
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(CAUGHT_STATUS + 1);
    _exit(CAUGHT_STATUS);
}

void *malloc(size_t size) {
    check();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    check();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    check();
    return __libc_realloc(memory, size);
}

void free(void *memory) {
    check();
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) {
    check();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    check();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    check();
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    check();
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}
