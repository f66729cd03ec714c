// SPDX-License-Identifier: Apache-2.0
//
// One run of a program that has ended, from whatever source. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_KNOWN_RUN_H
#define EPITAPH_ENDINGS_KNOWN_RUN_H

#include "epitaph_file_owner.h"
#include "epitaph_last_run.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct epitaph_known_run {
    epitaph_process_identity process;
    epitaph_run_end end;
    bool is_certain;
    int32_t signal;
    bool had_memory_warning;
    bool awaits_sweep;
    int64_t start_us;
    int64_t last_sign_us;
    /// Of the crash; all zeros for none.
    uint8_t report[16];
} epitaph_known_run;

/// The latest of the runs that were offered.
typedef struct epitaph_latest_run {
    bool is_there;
    epitaph_known_run run;
} epitaph_latest_run;

/// Takes a run if it is later than what is there.
void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run);

bool epitaph_is_same_process(const epitaph_process_identity *a, const epitaph_process_identity *b);

#pragma GCC visibility pop

#endif
