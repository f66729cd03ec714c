// SPDX-License-Identifier: Apache-2.0
//
// A signal that the program got before comes again, or ends the process now: what was left out of
// it then is captured, with what it was.

#include "epitaph_file.h"
#include "handler/arrival.h"
#include "signals/actions.h"

/// The signal as it was when the program got it first.
static bool find_original(const epitaph_arrival *arrived, epitaph_delivered *delivered,
                          epitaph_arrival *original) {
    if (!epitaph_delivery_find(arrived->signal, arrived->context, delivered)) return false;
    epitaph_bytes_copy(original, arrived, sizeof *original);
    original->signal = delivered->signal;
    original->info = &delivered->info;
    original->context = delivered->context;
    original->was_delivered = false;
    original->mark.place = NULL;
    return true;
}

static void complete(epitaph_arrival *arrived, bool may_recover) {
    epitaph_capture *capture = epitaph_capture_now();
    if (epitaph_filters_are_new()) return;
    if (epitaph_owner_try_claim() != EPITAPH_OWNER_IS_NEW) return;
    epitaph_arrival_begin(capture, arrived);
    capture->may_survive = may_recover;
    epitaph_capture_run(capture);
    if (!may_recover && capture->pid == epitaph_capture_settings_now.dump_file.owner_pid) return;
    epitaph_threads_release(capture);
    if (!epitaph_capture_hold(capture)) epitaph_capture_rearm();
    epitaph_owner_release();
}

void epitaph_arrival_prepare_end(const epitaph_arrival *arrived) {
    epitaph_delivered delivered;
    epitaph_arrival original;
    epitaph_hold_kind kind = epitaph_held_here();
    if (kind == EPITAPH_HOLDS_HEAD || kind == EPITAPH_HOLDS_SECTIONS) {
        epitaph_held_seal();
        return;
    }
    if (epitaph_held_is_abort(arrived->signal)) return;
    if (!find_original(arrived, &delivered, &original)) return;
    original.has_file = kind == EPITAPH_HOLDS_RECORD && epitaph_held_take();
    if (original.has_file) {
        // Another thread's record may have been the last one stored.
        epitaph_first_record_store(&epitaph_capture_settings_now.dump_file, original.signal,
                                   original.info, original.context);
    } else {
        epitaph_arrival_store_record(&original);
    }
    complete(&original, false);
}

void epitaph_arrival_prepare_again(const epitaph_arrival *arrived) {
    epitaph_delivered delivered;
    epitaph_arrival original;
    if (epitaph_is_held() || !find_original(arrived, &delivered, &original)) return;
    if (!epitaph_arrival_store_record(&original)) return;
    if (epitaph_held_is_repeating(delivered.number)) {
        complete(&original, true);
    } else {
        epitaph_hold(EPITAPH_HOLDS_RECORD, original.signal, original.info, original.context);
    }
}
