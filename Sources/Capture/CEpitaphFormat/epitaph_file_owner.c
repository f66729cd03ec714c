// SPDX-License-Identifier: Apache-2.0
//
// Decides whether the owner of a `.locked` file is dead.

#include "epitaph_file_owner.h"

static const int64_t own_bundle_limit_seconds = 24 * 3600;
static const int64_t any_bundle_limit_seconds = 60 * 24 * 3600;

bool epitaph_id_is_known(const uint8_t id[16]) {
    for (int i = 0; i < 16; i++) {
        if (id[i] != 0) return true;
    }
    return false;
}

bool epitaph_ids_are_equal(const uint8_t left[16], const uint8_t right[16]) {
    for (int i = 0; i < 16; i++) {
        if (left[i] != right[i]) return false;
    }
    return true;
}

bool epitaph_is_same_process(const epitaph_process_identity *left,
                             const epitaph_process_identity *right) {
    return left->pid != 0 && left->start_ticks != 0 && left->pid == right->pid &&
           left->start_ticks == right->start_ticks && left->pid_namespace == right->pid_namespace &&
           epitaph_ids_are_equal(left->boot_id, right->boot_id);
}

epitaph_process_verdict epitaph_process_judge(const epitaph_owner_evidence *evidence) {
    const epitaph_process_identity *owner = &evidence->owner;
    const epitaph_process_identity *asker = &evidence->asker;
    if (!evidence->has_launch_record || !epitaph_id_is_known(owner->boot_id) ||
        !epitaph_id_is_known(asker->boot_id)) {
        return EPITAPH_PROCESS_IS_UNKNOWN;
    }
    if (!epitaph_ids_are_equal(owner->boot_id, asker->boot_id)) return EPITAPH_PROCESS_IS_DEAD;
    if (owner->pid_namespace == 0 || owner->pid_namespace != asker->pid_namespace ||
        owner->pid <= 0 || owner->start_ticks == 0) {
        return EPITAPH_PROCESS_IS_UNKNOWN;
    }
    if (evidence->state == EPITAPH_PROCESS_HAS_ENDED) return EPITAPH_PROCESS_IS_DEAD;
    if (evidence->state == EPITAPH_PROCESS_UNKNOWN) return EPITAPH_PROCESS_IS_UNKNOWN;
    if (evidence->running_start_ticks != owner->start_ticks) return EPITAPH_PROCESS_IS_DEAD;
    return owner->pid == asker->pid ? EPITAPH_PROCESS_WAS_REPLACED : EPITAPH_PROCESS_IS_ALIVE;
}

epitaph_owner_verdict epitaph_owner_judge(const epitaph_owner_evidence *evidence) {
    if (evidence->lock == EPITAPH_FILE_LOCK_HELD) return EPITAPH_OWNER_IS_ALIVE;
    switch (epitaph_process_judge(evidence)) {
    case EPITAPH_PROCESS_IS_ALIVE: return EPITAPH_OWNER_IS_ALIVE;
    case EPITAPH_PROCESS_IS_DEAD: return EPITAPH_OWNER_IS_DEAD;
    case EPITAPH_PROCESS_WAS_REPLACED: return EPITAPH_OWNER_WAS_REPLACED;
    case EPITAPH_PROCESS_IS_UNKNOWN: break;
    }
    int64_t age = evidence->age_seconds;
    if (evidence->lock == EPITAPH_FILE_LOCK_UNAVAILABLE) {
        int64_t limit =
            evidence->is_own_bundle ? own_bundle_limit_seconds : any_bundle_limit_seconds;
        return age >= limit ? EPITAPH_OWNER_IS_DEAD : EPITAPH_OWNER_IS_ALIVE;
    }
    bool may_be_starting = !evidence->has_launch_record && age < epitaph_starting_grace_seconds &&
                           age > -epitaph_starting_grace_seconds;
    return may_be_starting ? EPITAPH_OWNER_IS_ALIVE : EPITAPH_OWNER_IS_DEAD;
}
