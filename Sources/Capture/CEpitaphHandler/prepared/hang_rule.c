// SPDX-License-Identifier: Apache-2.0
//
// Adds up silence, check by check.

#include "epitaph_report_request.h"

/// A wake is late after more than this multiple of the planned sleep.
static const uint64_t late_share = 2;

uint64_t epitaph_hang_time_that_counts(uint64_t awake_ns, uint64_t real_ns, uint64_t wanted_ns) {
    if (awake_ns > late_share * wanted_ns) return 0;
    // The clocks are read one after the other.
    if (real_ns > awake_ns && real_ns - awake_ns > wanted_ns) return 0;
    return awake_ns;
}

epitaph_hang_change epitaph_hang_rule_look(epitaph_hang_rule *rule, uint64_t count, bool is_awaited,
                                           uint64_t counted_ns, uint64_t threshold_ns) {
    bool was_hung = rule->is_hung;
    if (rule->has_ended) rule->silent_ns = 0;
    rule->has_ended = false;
    bool has_moved = !rule->is_known || count != rule->last_count;
    rule->is_known = true;
    rule->last_count = count;
    if (has_moved || !is_awaited) {
        rule->silent_ns = was_hung ? rule->silent_ns + counted_ns : 0;
        rule->is_hung = false;
        rule->has_ended = was_hung;
        return was_hung ? EPITAPH_HANG_ENDED : EPITAPH_HANG_NONE;
    }
    rule->silent_ns += counted_ns;
    if (was_hung || rule->silent_ns < threshold_ns) return EPITAPH_HANG_NONE;
    rule->is_hung = true;
    return EPITAPH_HANG_BEGAN;
}
