// SPDX-License-Identifier: Apache-2.0
//
// Which of several runs is the last one.

#include "endings/endings.h"

void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run) {
    if (latest->is_there && latest->run.last_sign_us > run->last_sign_us) return;
    latest->is_there = true;
    latest->run = *run;
}
