// SPDX-License-Identifier: Apache-2.0
//
// The last thing a process that ends well writes into its dump file.

#include "epitaph_clean_exit.h"

#include "epitaph_dump_file.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"
#include "epitaph_signal_set.h"
#include "file/stored_values.h"
#include "system/bytes.h"
#include "system/sys_descriptors.h"

enum {
    TIME_BYTES = 16,
    /// The mark, and a map of two numbers for each signal there is.
    MARK_LIMIT_BYTES = 4096,
};

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

/// Returns the size of the mark.
static size_t make_mark(uint8_t *mark, uint64_t time_ns, uint64_t displaced_signals) {
    epitaph_stored_values values = {mark, mark + MARK_LIMIT_BYTES};
    uint8_t time[TIME_BYTES];
    epitaph_put_time(time, time_ns);
    add_displaced(&values, displaced_signals);
    epitaph_store_bytes(&values, EPITAPH_KEY_CLEAN_EXIT, time, sizeof time);
    epitaph_store_command(&values, EPITAPH_COMMAND_ROOT_MAP_END);
    return (size_t)(values.next - mark);
}

static void store_mark(const epitaph_dump_file *file, const uint8_t *mark, size_t count) {
    uint8_t *place = file->head + file->launch_record_bytes;
    if (file->launch_record_bytes + count > file->head_bytes) return;
    // The first byte is stored last: the mark is either complete or absent.
    epitaph_bytes_copy(place + 1, mark + 1, count - 1);
    __atomic_store_n(place, *mark, __ATOMIC_RELEASE);
}

void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file, uint64_t time_ns,
                                       uint64_t displaced_signals) {
    uint32_t armed = EPITAPH_FILE_ARMED;
    uint8_t mark[MARK_LIMIT_BYTES];
    // Hidden from the handler meanwhile: a thread that crashes now gets a file of its own.
    if (!__atomic_compare_exchange_n(&file->state, &armed, EPITAPH_FILE_MARKING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return;
    }
    size_t count = make_mark(mark, time_ns, displaced_signals);
    if (file->head != NULL) {
        store_mark(file, mark, count);
    } else {
        // One call, so that the mark is either complete or absent.
        int fd = epitaph_dump_file_descriptor(file);
        if (fd >= 0) epitaph_sys_pwrite(fd, mark, count, file->launch_record_bytes);
    }
    __atomic_store_n(&file->state, EPITAPH_FILE_MARKED, __ATOMIC_RELEASE);
}
