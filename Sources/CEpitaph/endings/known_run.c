// SPDX-License-Identifier: Apache-2.0
//
// Which of several runs is the last one.

#include "endings/known_run.h"

#include <string.h>

void epitaph_latest_run_offer(epitaph_latest_run *latest, const epitaph_known_run *run) {
    if (latest->is_there && latest->run.last_sign_us > run->last_sign_us) return;
    latest->is_there = true;
    latest->run = *run;
}

// What is not known is the same as nothing: a process id alone may be another process's by now.
bool epitaph_is_same_process(const epitaph_process_identity *a, const epitaph_process_identity *b) {
    return a->pid != 0 && a->start_ticks != 0 && a->pid == b->pid &&
           a->start_ticks == b->start_ticks && a->pid_namespace == b->pid_namespace &&
           memcmp(a->boot_id, b->boot_id, sizeof a->boot_id) == 0;
}
