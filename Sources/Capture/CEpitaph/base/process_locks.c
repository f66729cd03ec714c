// SPDX-License-Identifier: Apache-2.0
//
// The page, mapped with MADV_WIPEONFORK if the kernel supports that, and the mutexes in it.

#include "base/base.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A wiped mutex is an unlocked one: PTHREAD_MUTEX_INITIALIZER is all zeros apart from padding, in
// glibc (sysdeps/nptl/pthread.h, sysdeps/nptl/bits/struct_mutex.h) and musl (include/pthread.h).
#ifdef __GLIBC__
_Static_assert(PTHREAD_MUTEX_TIMED_NP == 0, "the static initialiser of glibc is all zeros");
#endif
_Static_assert(PTHREAD_MUTEX_DEFAULT == 0, "a mutex of zeros is a mutex of the default kind");
_Static_assert(sizeof(pthread_mutex_t) <= EPITAPH_PROCESS_LOCK_SIZE, "a lock holds a mutex");
_Static_assert(_Alignof(pthread_mutex_t) <= 16 && EPITAPH_PROCESS_LOCK_SIZE % 16 == 0,
               "and is aligned for one");
_Static_assert(sizeof(epitaph_process_page) <= 4096, "it fits into a page");

static epitaph_process_page without_mapping;

/// In the child of fork(3), which has one thread. has_lasted is 0 if the kernel wiped the page.
static void clear_in_child(void) {
    epitaph_process_page *page = epitaph_process_page_now;
    if (page == NULL || page->has_lasted == 0) return;
    memset(page, 0, sizeof *page);
    page->has_lasted = 1;
}

/// Whether the kernel wipes the page. One that does not know the advice refuses it, and one that
/// ignores all advice does not refuse nonsense either.
static bool is_wiped_by_kernel(void *page, size_t size) {
    const int nonsense = -1;
    return madvise(page, size, EPITAPH_WIPE_ON_FORK) == 0 && madvise(page, size, nonsense) != 0;
}

static epitaph_process_page *map(bool *is_wiped) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return &without_mapping;
    *is_wiped = is_wiped_by_kernel(page, size);
    return page;
}

epitaph_process_page *epitaph_process_page_get(void) {
    epitaph_process_page *present = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    if (present != NULL) return present;
    int error_number = errno;
    bool is_wiped = false;
    epitaph_process_page *page = map(&is_wiped);
    page->has_lasted = 1;
    if (__atomic_compare_exchange_n(&epitaph_process_page_now, &present, page, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        present = page;
        // Each child would pay for two page faults.
        if (!is_wiped) pthread_atfork(NULL, NULL, clear_in_child);
    } else if (page != &without_mapping) {
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    }
    errno = error_number;
    return present;
}

// Early, so that no fork comes between the first use of the page and pthread_atfork(3).
__attribute__((constructor)) static void make_early(void) {
    epitaph_process_page_get();
}

static pthread_mutex_t *mutex(epitaph_process_lock lock) {
    return (pthread_mutex_t *)epitaph_process_page_get()->locks[lock];
}

void epitaph_process_lock_take(epitaph_process_lock lock) {
    pthread_mutex_lock(mutex(lock));
}

void epitaph_process_lock_give(epitaph_process_lock lock) {
    pthread_mutex_unlock(mutex(lock));
}
