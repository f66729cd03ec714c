// SPDX-License-Identifier: Apache-2.0
//
// Finds the process's threads and sends each the stop signal. Those we know are asked first. The
// kernel tells how many there are; only where it has others is /proc/self/task read, for whose
// entries the kernel makes an inode each, and takes it back when the thread dies: with a thousand
// threads this took a seventh of the process's death.

#include "threads/threads.h"

#include "epitaph_threads.h"
#include "signals/actions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum {
    LISTING_SIZE = 4096,
    /// Of a directory without subdirectories.
    EMPTY_DIRECTORY_LINKS = 2,
    /// A tenth of a second.
    BLOCKED_LOOK_LIMIT = 6,
};

static long send(epitaph_capture *capture, epitaph_thread_slot *slot) {
    if (capture->threads->has_second_signal) {
        slot->signal = epitaph_second_signal_number();
        long result = epitaph_second_signal_send(capture->pid, slot->tid);
        if (result == 0 || result == -ESRCH) return result;
    }
    slot->signal = epitaph_capture_settings_now.stop_signal;
    return epitaph_stop_signal_send(capture->pid, slot->tid);
}

/// Why the thread must not be sent the signal, or 0. In a process that lives on one that is not
/// received would stay pending for ever.
static epitaph_dump_why find_obstacle(epitaph_capture *capture, const epitaph_thread_slot *slot,
                                      bool *may_pass) {
    epitaph_thread_room room = epitaph_thread_room_judge(capture, slot);
    *may_pass = room != EPITAPH_ROOM_IS_UNPROVEN;
    if (room != EPITAPH_ROOM_IS_ENOUGH) return EPITAPH_WHY_NO_ROOM;
    if (!capture->is_live) return 0;
    uint64_t blocked = epitaph_kernel_status_read(capture, slot->tid).blocked;
    bool is_blocked = epitaph_signals_have(blocked, epitaph_capture_settings_now.stop_signal);
    return is_blocked ? EPITAPH_WHY_SIGNAL_BLOCKED : 0;
}

bool epitaph_thread_blocks_briefly(epitaph_thread_slot *slot, const epitaph_kernel_status *status,
                                   int32_t signal) {
    return epitaph_signals_have(status->blocked, signal) && !status->is_asleep &&
           ++slot->blocked_looks < BLOCKED_LOOK_LIMIT;
}

/// pthread_create(3) blocks all signals until the new thread runs, which takes a while on a busy
/// machine.
static bool may_be_beginning(epitaph_capture *capture, epitaph_thread_slot *slot) {
    const epitaph_kernel_status status = epitaph_kernel_status_read(capture, slot->tid);
    return epitaph_thread_blocks_briefly(slot, &status, epitaph_capture_settings_now.stop_signal);
}

static void note_first_work(epitaph_capture *capture, epitaph_thread_slot *slot) {
    if (capture->is_live) slot->first_work = epitaph_thread_work_read(capture, slot->tid);
}

static void note_last_work(epitaph_capture *capture, epitaph_thread_slot *slot) {
    if (!slot->first_work.is_running) return;
    const epitaph_thread_work work = epitaph_thread_work_read(capture, slot->tid);
    slot->only_computes = epitaph_thread_only_computed(&slot->first_work, &work);
}

void epitaph_thread_ask(epitaph_capture *capture, epitaph_thread_slot *slot) {
    bool may_pass;
    epitaph_dump_why obstacle = find_obstacle(capture, slot, &may_pass);
    if (obstacle == 0) {
        if (send(capture, slot) != -ESRCH) return;
        epitaph_thread_slot_settle(capture->threads, slot, EPITAPH_THREAD_GONE);
    } else if (may_pass && (!slot->is_deferred || may_be_beginning(capture, slot))) {
        if (!slot->is_deferred) note_first_work(capture, slot);
        // The map is read before the next look.
        slot->is_deferred = true;
        bool has_map = capture->mappings.count != 0;
        if (obstacle == EPITAPH_WHY_NO_ROOM && has_map) capture->threads->needs_new_map = true;
    } else {
        note_last_work(capture, slot);
        slot->cannot_answer = obstacle;
    }
}

static bool is_wanted(const epitaph_capture *capture, int32_t tid) {
    const epitaph_report_request *request = capture->request;
    bool has_one_thread = request != NULL && request->has_one_thread;
    return tid != capture->tid && (!has_one_thread || tid == request->subject_tid);
}

static void add(epitaph_capture *capture, int32_t tid) {
    if (is_wanted(capture, tid)) epitaph_thread_slots_add(capture->threads, tid);
}

/// Adds slots for the threads listed in `count` bytes of directory entries.
static void add_entries(epitaph_capture *capture, const char *listing, long count) {
    epitaph_directory_entries entries = epitaph_directory_entries_of(listing, (size_t)count);
    const char *name;
    size_t limit;
    while ((name = epitaph_directory_entries_next(&entries, &limit)) != NULL) {
        const char *end = name + limit;
        int32_t tid = (int32_t)epitaph_text_read_decimal(&name, end);
        if (tid > 0) add(capture, tid);
    }
}

/// What we know of may have ended.
static void add_if_alive(epitaph_capture *capture, int32_t tid) {
    if (!is_wanted(capture, tid) || epitaph_thread_slots_find(capture->threads, tid) != NULL)
        return;
    if (epitaph_sys_tgkill(capture->pid, tid, 0) == 0) add(capture, tid);
}

static void add_registered(void *capture, int32_t tid, const epitaph_thread_place *place) {
    (void)place;
    add_if_alive(capture, tid);
}

/// Adds slots for the threads that we know of.
static void add_known(epitaph_capture *capture) {
    const epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    uint32_t count = epitaph_stack_offers_are_of(capture->pid) ? offers->count : 0;
    add_if_alive(capture, capture->pid);
    for (uint32_t i = 0; i < count; i++) {
        const epitaph_stack_offer *offer = &offers->entries[i];
        if (__atomic_load_n(&offer->state, __ATOMIC_ACQUIRE) != EPITAPH_STACK_FREE)
            add_if_alive(capture, offer->tid);
    }
    epitaph_thread_registry_visit(capture, add_registered);
}

/// In our handler, or perhaps on its way there.
static bool is_here(const epitaph_thread_slot *slot) {
    return __atomic_load_n(&slot->answer, __ATOMIC_ACQUIRE) == EPITAPH_THREAD_STOPPED ||
           epitaph_thread_slot_is_awaited(slot);
}

/// Whether the process has no threads but this one and those that have stopped, or that are waited
/// for: /proc/self/task has a link for each; fs/proc/base.c, proc_task_getattr. Of those that wait
/// in our handler none ends or makes another, so once all have stopped this is a proof.
static bool are_all_known(const epitaph_thread_slots *slots, int directory) {
    struct stat status;
    if (epitaph_sys_fstat(directory, &status) < 0) return false;
    uint64_t count = 1;
    for (uint32_t i = 0; i < slots->count; i++)
        count += is_here(&slots->entries[i]) ? 1 : 0;
    return status.st_nlink == EMPTY_DIRECTORY_LINKS + count;
}

static void note_registered(void *argument, int32_t tid, const epitaph_thread_place *place) {
    epitaph_capture *capture = argument;
    epitaph_thread_slot *slot = epitaph_thread_slots_find(capture->threads, tid);
    if (slot == NULL || slot->signal != 0) return;
    slot->is_registered = true;
    slot->alternate_start = __atomic_load_n(&place->alternate_start, __ATOMIC_RELAXED);
    slot->alternate_bytes = __atomic_load_n(&place->alternate_bytes, __ATOMIC_RELAXED);
}

static void note_offer(epitaph_capture *capture, const epitaph_stack_offer *offer) {
    uint32_t state = __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE);
    if (state != EPITAPH_STACK_ACCEPTED && state != EPITAPH_STACK_DECLINED) return;
    epitaph_thread_slot *slot = epitaph_thread_slots_find(capture->threads, offer->tid);
    if (slot == NULL || slot->signal != 0) return;
    slot->alternate_start = offer->present_start;
    slot->alternate_bytes = offer->present_bytes;
}

/// Copies into the new slots what is known of alternate stacks.
static void note_alternate_stacks(epitaph_capture *capture) {
    const epitaph_stack_offers *offers = &epitaph_stack_offers_now;
    uint32_t count = epitaph_stack_offers_are_of(capture->pid) ? offers->count : 0;
    for (uint32_t i = 0; i < count; i++)
        note_offer(capture, &offers->entries[i]);
    // What the thread itself has told since counts more.
    epitaph_thread_registry_visit(capture, note_registered);
}

static void ask(epitaph_capture *capture, epitaph_thread_slot *slot) {
    if (capture->is_live && !epitaph_thread_may_be_interrupted(slot->tid)) {
        epitaph_thread_slot_settle(capture->threads, slot, EPITAPH_THREAD_LEFT_RUNNING);
    } else {
        epitaph_thread_ask(capture, slot);
    }
}

/// Adds slots for threads that have none. Returns 0 or a negative errno.
static long add_others(epitaph_capture *capture) {
    _Alignas(8) char entries[LISTING_SIZE];
    // By our own entry, which is missing from a /proc of another pid namespace.
    long fd = epitaph_task_file_open(capture->tid, "/..", O_DIRECTORY);
    if (fd < 0) return fd;
    long got = 0;
    if (!are_all_known(capture->threads, (int)fd)) {
        while ((got = epitaph_sys_getdents((int)fd, entries, sizeof entries)) > 0)
            add_entries(capture, entries, got);
    }
    epitaph_sys_close((int)fd);
    return got;
}

uint32_t epitaph_threads_ask_new(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    uint32_t known = slots->count;
    add_known(capture);
    slots->error = (int32_t)-add_others(capture);
    if (slots->count == known) return 0;
    note_alternate_stacks(capture);
    for (uint32_t i = known; i < slots->count; i++)
        ask(capture, &slots->entries[i]);
    return slots->count - known;
}
