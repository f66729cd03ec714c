// SPDX-License-Identifier: Apache-2.0
//
// The watchdog thread. It allocates nothing and takes no lock that a program's thread could hold,
// so it cannot hang with the program.

#include "hangs/hangs.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_placement.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, STOP_SECONDS = 5, HOUR_SECONDS = 3600 };

static const uint64_t second_ns = 1000000000;
static const uint64_t millisecond_ns = 1000000;

typedef struct watched {
    uint32_t generation;
    bool is_reported;
    int32_t tid;
    char name[EPITAPH_SUBJECT_NAME_SIZE + 1];
    epitaph_hang_rule rule;
    epitaph_hang_dump dump;
} watched;

static EPITAPH_SPARSE watched table[EPITAPH_HEARTBEAT_LIMIT];
/// CLOCK_BOOTTIME of dumps; the oldest entry is overwritten.
static uint64_t dump_times[EPITAPH_HANG_DUMPS_LIMIT];
static uint32_t dump_count;
static pthread_t thread;
static uint32_t must_end;

/// If another dump is allowed, counts it and returns true.
static bool spend_dump(const epitaph_hang_options *options) {
    uint64_t now = epitaph_clock_ns(CLOCK_BOOTTIME);
    if (dump_count >= options->dumps_per_hour) {
        uint32_t oldest = (dump_count - options->dumps_per_hour) % EPITAPH_HANG_DUMPS_LIMIT;
        if (now - dump_times[oldest] < HOUR_SECONDS * second_ns) return false;
    }
    dump_times[dump_count++ % EPITAPH_HANG_DUMPS_LIMIT] = now;
    return true;
}

static void tell(const epitaph_hang_options *options, epitaph_hang_event_kind kind,
                 const watched *hung) {
    if (options->on_event == NULL) return;
    const epitaph_hang_event event = {
        .kind = kind,
        .name = hung->name,
        .thread = hung->tid,
        .silent_ms = hung->rule.silent_ns / millisecond_ns,
        .has_dump = hung->dump.is_open || hung->is_reported,
    };
    options->on_event(&event, options->context);
}

static void begin(const epitaph_hang_options *options, uint32_t index, watched *hung, int32_t tid) {
    memcpy(hung->name, epitaph_heartbeats_name(index), sizeof hung->name);
    hung->tid = tid;
    hung->is_reported = false;
    // Under a debugger, threads may stop for any time.
    if (epitaph_tracer_find() == 0 && spend_dump(options)) {
        epitaph_hang_dump_take(&hung->dump, hung->name, tid, hung->rule.silent_ns);
    }
    tell(options, EPITAPH_HANG_EVENT_BEGAN, hung);
}

static void end(const epitaph_hang_options *options, watched *hung) {
    bool is_kept = hung->dump.is_open && options->keeps_recovered != 0;
    if (is_kept) {
        epitaph_hang_dump_keep(&hung->dump, true, hung->rule.silent_ns);
        hung->is_reported = true;
    }
    epitaph_hang_dump_discard(&hung->dump);
    tell(options, EPITAPH_HANG_EVENT_ENDED, hung);
}

static void report_if_long(const epitaph_hang_options *options, watched *hung) {
    if (!hung->dump.is_open) return;
    if (hung->rule.silent_ns < options->report_after_ms * millisecond_ns) return;
    epitaph_hang_dump_keep(&hung->dump, false, hung->rule.silent_ns);
    hung->is_reported = true;
    tell(options, EPITAPH_HANG_EVENT_REPORTED, hung);
}

static void look_at(const epitaph_hang_options *options, uint32_t index, uint64_t counted_ns) {
    epitaph_heartbeat_state state;
    watched *known = &table[index];
    bool is_used = epitaph_heartbeats_look(index, &state);
    if (known->generation != 0 && (!is_used || state.generation != known->generation)) {
        if (known->rule.is_hung) end(options, known);
        known->generation = 0;
    }
    if (!is_used) return;
    if (known->generation == 0) {
        memset(&known->rule, 0, sizeof known->rule);
        known->generation = state.generation;
    }
    switch (epitaph_hang_rule_look(&known->rule, state.count, state.is_awaited, counted_ns,
                                   state.threshold_ns)) {
    case EPITAPH_HANG_BEGAN: begin(options, index, known, state.tid); break;
    case EPITAPH_HANG_ENDED: end(options, known); break;
    case EPITAPH_HANG_NONE:
        if (known->rule.is_hung) report_if_long(options, known);
        break;
    }
}

static void rest(uint64_t time_ns) {
    const struct timespec time = {(time_t)(time_ns / second_ns), (long)(time_ns % second_ns)};
    syscall(SYS_futex, &must_end, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
}

static void watch(void) {
    uint64_t awake = epitaph_clock_ns(CLOCK_MONOTONIC);
    uint64_t real = epitaph_clock_ns(CLOCK_BOOTTIME);
    while (__atomic_load_n(&must_end, __ATOMIC_ACQUIRE) == 0) {
        const epitaph_hang_options *options = epitaph_hang_options_now();
        uint64_t wanted_ns = options->poll_ms * millisecond_ns;
        rest(wanted_ns);
        uint64_t awake_now = epitaph_clock_ns(CLOCK_MONOTONIC);
        uint64_t real_now = epitaph_clock_ns(CLOCK_BOOTTIME);
        uint64_t counted_ns =
            epitaph_hang_time_that_counts(awake_now - awake, real_now - real, wanted_ns);
        for (uint32_t i = 0; i < EPITAPH_HEARTBEAT_LIMIT; i++)
            look_at(options, i, counted_ns);
        // All threads are stopped during a dump, so that time does not count.
        awake = epitaph_clock_ns(CLOCK_MONOTONIC);
        real = epitaph_clock_ns(CLOCK_BOOTTIME);
    }
    for (uint32_t i = 0; i < EPITAPH_HEARTBEAT_LIMIT; i++)
        epitaph_hang_dump_keep(&table[i].dump, false, table[i].rule.silent_ns);
}

static void *run(void *argument) {
    prctl(PR_SET_NAME, "epitaph-hangs", 0, 0, 0);
    watch();
    return argument;
}

/// A forked child has no such thread, and its table is the parent's.
static int start_thread(void) {
    epitaph_process_page *page = epitaph_process_page_get();
    if (page->watches_hangs != 0) return 0;
    epitaph_heartbeats_forget();
    for (uint32_t i = 0; i < EPITAPH_HEARTBEAT_LIMIT; i++) {
        if (table[i].dump.is_open) epitaph_dump_file_close(&table[i].dump.file);
    }
    memset(table, 0, sizeof table);
    must_end = 0;
    int result = epitaph_own_thread_make(&thread, STACK_BYTES, run, NULL);
    if (result == 0) page->watches_hangs = 1;
    return result;
}

static epitaph_heartbeat take(const char *name, uint32_t threshold_ms, epitaph_error *error) {
    if (epitaph_started_check(error) != EPITAPH_OK) return 0;
    int result = start_thread();
    if (result != 0) {
        epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, result, "no thread to watch for hangs");
        return 0;
    }
    epitaph_heartbeat taken =
        epitaph_heartbeats_take(name, epitaph_hang_threshold_ms(threshold_ms) * millisecond_ns);
    if (taken == 0) {
        epitaph_error_set(error, EPITAPH_NO_ROOM, 0, "%d heartbeats are watched already",
                          EPITAPH_HEARTBEAT_LIMIT);
    }
    return taken;
}

epitaph_heartbeat epitaph_heartbeat_register(const char *name, uint32_t threshold_ms,
                                             epitaph_error *error) {
    if (name == NULL || name[0] == 0) {
        epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0, "name: say what is watched");
        return 0;
    }
    epitaph_process_lock_take(EPITAPH_LOCK_HEARTBEATS);
    epitaph_heartbeat taken = take(name, threshold_ms, error);
    epitaph_process_lock_give(EPITAPH_LOCK_HEARTBEATS);
    return taken;
}

void epitaph_hangs_stop(void) {
    epitaph_process_lock_take(EPITAPH_LOCK_HEARTBEATS);
    epitaph_process_page *page = epitaph_process_page_get();
    if (page->watches_hangs != 0) {
        page->watches_hangs = 0;
        __atomic_store_n(&must_end, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &must_end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        struct timespec end = {0, 0};
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += STOP_SECONDS;
        // Detached if it stops Epitaph itself, or joining takes too long; it then ends alone.
        bool is_self = pthread_equal(thread, pthread_self()) != 0;
        if (is_self || pthread_timedjoin_np(thread, NULL, &end) != 0) pthread_detach(thread);
        epitaph_heartbeats_forget();
    }
    epitaph_process_lock_give(EPITAPH_LOCK_HEARTBEATS);
}
