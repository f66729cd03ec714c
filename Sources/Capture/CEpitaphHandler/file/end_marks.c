// SPDX-License-Identifier: Apache-2.0
//
// Marks in a dump file: a clean exit, an end by a signal with the default action, low memory.

#include "epitaph_file.h"

#include "epitaph_settings.h"
#include "file/armed_file.h"
#include "file/writer.h"
#include "memory/memory.h"
#include "signals/actions.h"

#include <time.h>

enum {
    TIME_BYTES = 16,
    /// The mark, and a map of two numbers per signal.
    CLEAN_MARK_LIMIT_BYTES = 4096,
    SIGNAL_MARK_LIMIT_BYTES = 128,
};

/// Hides the file: a thread crashing now makes its own. False if it is already taken or marked.
static bool begin_mark(epitaph_dump_file *file) {
    uint32_t armed = EPITAPH_FILE_ARMED;
    return __atomic_compare_exchange_n(&file->state, &armed, EPITAPH_FILE_MARKING, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void end_mark(epitaph_dump_file *file) {
    __atomic_store_n(&file->state, EPITAPH_FILE_MARKED, __ATOMIC_RELEASE);
}

static void add_displaced(epitaph_stored_values *values, uint64_t signals) {
    if (signals == 0) return;
    epitaph_store_keyed_command(values, EPITAPH_COMMAND_ARRAY_START,
                                EPITAPH_KEY_DISPLACED_HANDLERS);
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (!epitaph_signals_have(signals, signal)) continue;
        epitaph_store_command(values, EPITAPH_COMMAND_MAP_START);
        epitaph_store_number(values, EPITAPH_KEY_DISPLACED_SIGNAL, (uint64_t)signal, 4);
        epitaph_store_command(values, EPITAPH_COMMAND_MAP_END);
    }
    epitaph_store_command(values, EPITAPH_COMMAND_ARRAY_END);
}

static size_t make_clean_mark(uint8_t *mark, uint64_t time_ns, uint64_t displaced_signals) {
    epitaph_stored_values values = {mark, mark + CLEAN_MARK_LIMIT_BYTES};
    uint8_t time[TIME_BYTES];
    epitaph_bytes_put_time(time, time_ns);
    add_displaced(&values, displaced_signals);
    epitaph_store_bytes(&values, EPITAPH_KEY_CLEAN_EXIT, time, sizeof time);
    epitaph_store_command(&values, EPITAPH_COMMAND_ROOT_MAP_END);
    return (size_t)(values.next - mark);
}

typedef struct mark_store {
    uint8_t *place;
    const uint8_t *mark;
    size_t count;
} mark_store;

/// The first byte is stored last: the mark is either complete or absent.
static void store(void *argument) {
    const mark_store *mark = argument;
    epitaph_bytes_copy(mark->place + 1, mark->mark + 1, mark->count - 1);
    __atomic_store_n(mark->place, *mark->mark, __ATOMIC_RELEASE);
}

/// If the file was truncated, the process ends well without a mark.
static void store_mark(const epitaph_dump_file *file, const uint8_t *mark, size_t count) {
    if (file->launch_record_bytes + count > file->head_bytes) return;
    mark_store stored = {file->head + file->launch_record_bytes, mark, count};
    epitaph_guard_run_at_rest(store, &stored);
}

void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals) {
    uint8_t mark[CLEAN_MARK_LIMIT_BYTES];
    if (!begin_mark(file)) return;
    size_t count = make_clean_mark(mark, time_ns, displaced_signals);
    if (file->head != NULL) {
        store_mark(file, mark, count);
    } else {
        // One call: the mark is complete or absent.
        int fd = epitaph_dump_file_descriptor(file);
        if (fd >= 0) epitaph_sys_pwrite(fd, mark, count, file->launch_record_bytes);
    }
    end_mark(file);
}

static size_t make_signal_mark(uint8_t mark[SIGNAL_MARK_LIMIT_BYTES], int signal,
                               const siginfo_t *info) {
    epitaph_stored_values values = {mark, mark + SIGNAL_MARK_LIMIT_BYTES};
    epitaph_signal_values facts = epitaph_signal_values_of(signal, info);
    uint8_t time[TIME_BYTES];
    epitaph_bytes_put_time(time, epitaph_sys_clock_ns(CLOCK_REALTIME));
    epitaph_store_number(&values, EPITAPH_KEY_END_SIGNAL, (uint32_t)signal, 4);
    if (facts.has_sender) {
        epitaph_store_number(&values, EPITAPH_KEY_END_SIGNAL_SENDER, (uint32_t)facts.sender_pid, 4);
    }
    epitaph_store_bytes(&values, EPITAPH_KEY_END_TIME, time, sizeof time);
    epitaph_store_command(&values, EPITAPH_COMMAND_ROOT_MAP_END);
    return (size_t)(values.next - mark);
}

/// First byte last, as above. In a truncated file stores raise SIGBUS, caught if we handle it.
static void put_mark(epitaph_dump_file *file, const uint8_t *mark, size_t count) {
    uint64_t place = file->launch_record_bytes;
    bool catches = epitaph_signals_have(epitaph_capture_settings_now.handled_signals, SIGBUS);
    if (file->head != NULL && catches) {
        if (epitaph_head_put(file, mark + 1, count - 1, place + 1) == (long)count - 1)
            epitaph_head_put(file, mark, 1, place);
        return;
    }
    int fd = epitaph_dump_file_descriptor(file);
    if (fd >= 0) epitaph_sys_pwrite(fd, mark, count, place);
}

void epitaph_dump_file_mark_signal(epitaph_dump_file *file, int signal, const siginfo_t *info) {
    uint8_t mark[SIGNAL_MARK_LIMIT_BYTES];
    if (!begin_mark(file)) return;
    put_mark(file, mark, make_signal_mark(mark, signal, info));
    end_mark(file);
}

// Written, not stored: a file truncated by another process must not end this one.
void epitaph_dump_file_note_memory_warning(epitaph_dump_file *file) {
    static const uint8_t noted = 1;
    uint32_t state = __atomic_load_n(&file->state, __ATOMIC_ACQUIRE);
    if (state != EPITAPH_FILE_ARMED && state != EPITAPH_FILE_HELD) return;
    int fd = epitaph_dump_file_descriptor(file);
    if (fd < 0) return;
    epitaph_sys_pwrite(fd, &noted, 1, epitaph_launch_record_memory_warning_place(file));
}
