// SPDX-License-Identifier: Apache-2.0
//
// A child of fork(2) has one thread, and every lock as it was: those that another thread held stay
// locked. A program with one thread of its own may do anything in its child. So while it forks, our
// threads wait, where they hold no lock of libc's, of the Swift runtime's or of a library's, and
// nobody is within a lock of ours.

#include "CEpitaphSystem.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    /// How long fork(2) waits for one that works on and on, and a thread of ours for fork(2).
    LONGEST_WAIT_MS = 1000,
    /// How long a thread of the program's waits for it. A fork may wait for that thread, too: in a
    /// library's handler of pthread_atfork(3) that takes a lock under which the thread called us.
    LONGEST_CALL_MS = 100,
    TURN_NS = 100000,
};

static const int64_t second_ns = 1000000000;

/// How often the thread has begun to work and not ended.
static _Thread_local uint32_t depth;
/// Before glibc 2.36 a handler that is registered during a fork runs after it, and not before.
static _Thread_local bool is_forking;
static uint32_t working, forking;
static uint32_t process_id;
/// Until all wait: one that works on and on delays one fork, and not each of many.
static bool has_waited_in_vain;
/// How long somebody has waited in vain for the forks of now: nobody else does it again.
static int overdue_ms;

static void wait_for_a_turn(void) {
    nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void go_on(int longest_ms) {
    int64_t end_ms = 0;
    while (true) {
        __atomic_fetch_add(&working, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&forking, __ATOMIC_SEQ_CST) == 0) return;
        if (__atomic_load_n(&overdue_ms, __ATOMIC_RELAXED) >= longest_ms) return;
        __atomic_fetch_sub(&working, 1, __ATOMIC_SEQ_CST);
        if (end_ms == 0) end_ms = now_ms() + longest_ms;
        if (now_ms() >= end_ms) __atomic_store_n(&overdue_ms, longest_ms, __ATOMIC_RELAXED);
        wait_for_a_turn();
    }
}

static void pause_work(void) {
    if (__atomic_sub_fetch(&working, 1, __ATOMIC_SEQ_CST) == 0)
        __atomic_store_n(&has_waited_in_vain, false, __ATOMIC_RELAXED);
}

static void before_fork(void) {
    uint32_t own = depth != 0 ? 1 : 0;
    is_forking = true;
    __atomic_fetch_add(&forking, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&working, __ATOMIC_SEQ_CST) <= own) return;
    int64_t end_ms = now_ms() + LONGEST_WAIT_MS;
    while (__atomic_load_n(&working, __ATOMIC_SEQ_CST) > own) {
        if (__atomic_load_n(&has_waited_in_vain, __ATOMIC_RELAXED)) return;
        if (now_ms() >= end_ms) __atomic_store_n(&has_waited_in_vain, true, __ATOMIC_RELAXED);
        wait_for_a_turn();
    }
}

static void after_fork_in_parent(void) {
    if (!is_forking) return;
    is_forking = false;
    if (__atomic_sub_fetch(&forking, 1, __ATOMIC_SEQ_CST) == 0)
        __atomic_store_n(&overdue_ms, 0, __ATOMIC_RELAXED);
}

static void after_fork_in_child(void) {
    process_id = (uint32_t)getpid();
    is_forking = false;
    working = depth != 0 ? 1 : 0;
    forking = 0;
    has_waited_in_vain = false;
    overdue_ms = 0;
}

static void watch_forks(void) {
    process_id = (uint32_t)getpid();
    // Without memory for it, forks are as without us but for the locks.
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/// Before main: of handlers that run before a fork the first one registered is the last. Those of
/// the program then have their locks already, and find nobody who waits for the fork.
__attribute__((constructor)) static void begin_watching(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

static void begin(int longest_ms) {
    if (depth++ != 0) return;
    begin_watching();
    go_on(longest_ms);
}

void epitaph_work_begin(void) {
    begin(LONGEST_WAIT_MS);
}

void epitaph_work_end(void) {
    if (--depth == 0) pause_work();
}

void epitaph_wait_begin(void) {
    if (depth != 0) pause_work();
}

void epitaph_wait_end(void) {
    int error_number = errno;
    if (depth != 0) go_on(LONGEST_WAIT_MS);
    errno = error_number;
}

// As in Drepper, "Futexes are tricky", 2011, section 6: bit 0 of the word says that somebody may
// wait. The bits above are the holder's process.

static bool change(uint32_t *lock, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(lock, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void epitaph_lock_take(uint32_t *lock) {
    begin(LONGEST_CALL_MS);
    uint32_t own = process_id << 1;
    if (change(lock, 0, own)) return;
    while (true) {
        uint32_t held = __atomic_load_n(lock, __ATOMIC_RELAXED);
        if ((held | 1) != (own | 1)) {
            if (change(lock, held, own | 1)) return;
        } else if (held == (own | 1) || change(lock, held, own | 1)) {
            syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, own | 1, NULL, NULL, 0);
        }
    }
}

void epitaph_lock_give(uint32_t *lock) {
    if ((__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) & 1) != 0) epitaph_futex_wake(lock);
    epitaph_work_end();
}

int epitaph_wait_poll(struct pollfd *entries, size_t count, int milliseconds) {
    epitaph_wait_begin();
    int result = poll(entries, count, milliseconds);
    epitaph_wait_end();
    return result;
}

void epitaph_wait_microseconds(uint32_t microseconds) {
    epitaph_wait_begin();
    usleep(microseconds);
    epitaph_wait_end();
}

int epitaph_wait_thread(pthread_t thread) {
    epitaph_wait_begin();
    int result = pthread_join(thread, NULL);
    epitaph_wait_end();
    return result;
}

void epitaph_futex_wait(const void *word, uint32_t value, int64_t nanoseconds) {
    int error_number = errno;
    // FUTEX_WAIT takes a relative CLOCK_MONOTONIC timeout, futex(2).
    struct timespec limit = {.tv_sec = nanoseconds / second_ns, .tv_nsec = nanoseconds % second_ns};
    epitaph_wait_begin();
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
    epitaph_wait_end();
    errno = error_number;
}

void epitaph_futex_wake(const void *word) {
    int error_number = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error_number;
}
