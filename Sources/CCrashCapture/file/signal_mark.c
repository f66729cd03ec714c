// SPDX-License-Identifier: Apache-2.0
//
// What a process writes into its dump file that a signal with the default action ends, or that was
// told that memory is short.

#include "epitaph_signal_mark.h"

#include "epitaph_dump_file.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"
#include "epitaph_settings.h"
#include "epitaph_signal_set.h"
#include "file/head.h"
#include "file/launch_record.h"
#include "file/stored_values.h"
#include "signals/signal_facts.h"
#include "system/sys.h"
#include "system/sys_descriptors.h"

#include <signal.h>
#include <time.h>

enum {
    TIME_BYTES = 16,
    MARK_LIMIT_BYTES = 128,
};

static size_t make_mark(uint8_t mark[MARK_LIMIT_BYTES], int signal, const siginfo_t *info) {
    epitaph_stored_values values = {mark, mark + MARK_LIMIT_BYTES};
    epitaph_signal_values facts = epitaph_signal_values_of(signal, info);
    uint8_t time[TIME_BYTES];
    epitaph_put_time(time, epitaph_sys_clock_ns(CLOCK_REALTIME));
    epitaph_store_number(&values, EPITAPH_KEY_END_SIGNAL, (uint32_t)signal, 4);
    if (facts.has_sender) {
        epitaph_store_number(&values, EPITAPH_KEY_END_SIGNAL_SENDER, (uint32_t)facts.sender_pid, 4);
    }
    epitaph_store_bytes(&values, EPITAPH_KEY_END_TIME, time, sizeof time);
    epitaph_store_command(&values, EPITAPH_COMMAND_ROOT_MAP_END);
    return (size_t)(values.next - mark);
}

/// The first byte last: there is a whole mark or none. A store into a file that was truncated
/// raises SIGBUS, which is caught if it is ours.
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
    uint32_t armed = EPITAPH_FILE_ARMED;
    uint8_t mark[MARK_LIMIT_BYTES];
    // Out of the handler's sight meanwhile, as at a clean end.
    if (!__atomic_compare_exchange_n(&file->state, &armed, EPITAPH_FILE_MARKING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return;
    }
    put_mark(file, mark, make_mark(mark, signal, info));
    __atomic_store_n(&file->state, EPITAPH_FILE_MARKED, __ATOMIC_RELEASE);
}

// Written and not stored: a file that another process truncated must not end this one.
void epitaph_dump_file_note_memory_warning(epitaph_dump_file *file) {
    static const uint8_t noted = 1;
    if (__atomic_load_n(&file->state, __ATOMIC_ACQUIRE) != EPITAPH_FILE_ARMED) return;
    int fd = epitaph_dump_file_descriptor(file);
    if (fd < 0) return;
    epitaph_sys_pwrite(fd, &noted, 1, epitaph_launch_record_memory_warning_place(file));
}
