// SPDX-License-Identifier: Apache-2.0
//
// Threads that exist when Epitaph starts, and threads not made with pthread_create(3), are offered
// an alternate stack once by a signal; at a later start only new ones. Threads that block the
// signal or wait for it are skipped, because it would stay pending or wake them, and those whose
// stack may have no room for it.

#include "threads/alternate_stack.h"

#include "base/base.h"
#include "epitaph_settings.h"
#include "epitaph_threads.h"
#include "threads/existing_rooms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STATUS_SIZE = 4096,
    /// pthread_create(3) blocks all signals briefly, and threads may create others meanwhile.
    ROUND_LIMIT = 3,
    ROUND_PAUSE_US = 500,
    WAIT_LIMIT = 10,
};

/// 100 ms in total. Checks in between for threads that have ended.
static const uint64_t wait_ns = 10ull * 1000000;

/// 1 while a thread searches for stacks to free.
static uint32_t is_collecting;

/// Whether the thread's SigBlk, proc(5), has the stop signal; true if unreadable.
static bool blocks_stop_signal(long tid) {
    char path[64];
    char text[STATUS_SIZE];
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", tid);
    epitaph_proc_file_read(path, text, sizeof text);
    const char *mask = epitaph_proc_status_find(text, "SigBlk");
    if (mask == NULL) return true;
    uint64_t blocked = strtoull(mask, NULL, 16);
    return epitaph_signals_have(blocked, epitaph_capture_settings_now.stop_signal);
}

/// Has an offer of this or an earlier start, or was created while Epitaph was started.
static bool needs_nothing(long tid) {
    for (uint32_t i = 0; i < epitaph_stack_offers_now.count; i++) {
        if (epitaph_stack_offers_now.entries[i].tid == tid) return true;
    }
    return epitaph_thread_place_has_stack((int32_t)tid);
}

/// Returns whether to try the thread again.
static bool offer(long tid, epitaph_writable_ranges **ranges) {
    if (blocks_stop_signal(tid)) return true;
    if (*ranges == NULL) *ranges = epitaph_writable_ranges_read();
    if (!epitaph_existing_thread_can_answer(tid, *ranges)) return true;
    size_t size = epitaph_alternate_stack_size();
    void *memory = epitaph_guarded_memory_make(size);
    if (memory == NULL) return false;
    if (!epitaph_stack_offer_make((int32_t)tid, memory, size)) {
        epitaph_guarded_memory_free(memory, size);
    }
    return false;
}

/// One pass over all threads; returns whether another may find more.
static bool offer_to_all(void) {
    epitaph_writable_ranges *ranges = NULL;
    uint32_t known = epitaph_stack_offers_now.count;
    bool is_worth_another = false;
    long self = syscall(SYS_gettid);
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    epitaph_directory_reader tasks = {.fd = open("/proc/self/task", flags)};
    const char *name;
    if (tasks.fd < 0) return false;
    while ((name = epitaph_directory_next(&tasks)) != NULL) {
        long tid = strtol(name, NULL, 10);
        if (tid <= 0 || tid == self || needs_nothing(tid)) continue;
        if (offer(tid, &ranges)) is_worth_another = true;
    }
    close(tasks.fd);
    epitaph_writable_ranges_free(ranges);
    return is_worth_another || epitaph_stack_offers_now.count != known;
}

static void reclaim(epitaph_stack_offer *offer) {
    void *memory = offer->memory;
    size_t size = offer->size;
    if (epitaph_stack_offer_reclaim(offer)) epitaph_guarded_memory_free(memory, size);
}

static void reclaim_all(void) {
    for (uint32_t i = 0; i < epitaph_stack_offers_now.count; i++)
        reclaim(&epitaph_stack_offers_now.entries[i]);
}

static void wait_for_answers(void) {
    for (int wait = 0; wait < WAIT_LIMIT; wait++) {
        epitaph_stack_offers_wait(wait_ns);
        reclaim_all();
        if (__atomic_load_n(&epitaph_stack_offers_now.open_count, __ATOMIC_ACQUIRE) == 0) return;
    }
}

void epitaph_existing_threads_prepare(void) {
    if (!epitaph_stack_offers_begin()) return;
    for (int round = 0; round < ROUND_LIMIT && offer_to_all(); round++) {
        if (round > 0) usleep(ROUND_PAUSE_US);
    }
    wait_for_answers();
    epitaph_stack_offers_end();
}

void epitaph_existing_threads_collect(void) {
    static uint32_t next;
    uint32_t count = __atomic_load_n(&epitaph_stack_offers_now.count, __ATOMIC_ACQUIRE);
    if (count == 0 || __atomic_exchange_n(&is_collecting, 1, __ATOMIC_ACQUIRE) != 0) return;
    reclaim(&epitaph_stack_offers_now.entries[next++ % count]);
    __atomic_store_n(&is_collecting, 0, __ATOMIC_RELEASE);
}
