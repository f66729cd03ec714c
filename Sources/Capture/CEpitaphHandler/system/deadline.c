// SPDX-License-Identifier: Apache-2.0
//
// Every pause uses futex(2), so none needs a clock.

#include "system/sys.h"

#include <errno.h>
#include <time.h>

/// A pause that the kernel refuses counts as this long, so that a refused wait ends too.
static const uint64_t refused_pause_ns = 1000;

/// Never changes, so waiting on it is a pause.
static const uint32_t pause_word;

epitaph_deadline epitaph_deadline_after(uint64_t timeout_ns) {
    uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    epitaph_deadline deadline = {now == 0 ? 0 : now + timeout_ns, timeout_ns};
    return deadline;
}

uint64_t epitaph_deadline_left(const epitaph_deadline *deadline) {
    if (deadline->end_ns == 0) return deadline->left_ns;
    uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    return now < deadline->end_ns ? deadline->end_ns - now : 0;
}

static void spend(epitaph_deadline *deadline, uint64_t time_ns) {
    deadline->left_ns = time_ns < deadline->left_ns ? deadline->left_ns - time_ns : 0;
}

long epitaph_deadline_wait(epitaph_deadline *deadline, const uint32_t *word, uint32_t value,
                           uint64_t pause_ns) {
    uint64_t left = epitaph_deadline_left(deadline);
    if (pause_ns > left) pause_ns = left;
    if (pause_ns == 0) return -ETIMEDOUT;
    long result = epitaph_sys_futex_wait(word, value, pause_ns);
    spend(deadline, result == -ETIMEDOUT ? pause_ns : refused_pause_ns);
    return result;
}

void epitaph_deadline_pause(epitaph_deadline *deadline, uint64_t pause_ns) {
    epitaph_deadline_wait(deadline, &pause_word, 0, pause_ns);
}
