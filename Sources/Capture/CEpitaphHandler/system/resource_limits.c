// SPDX-License-Identifier: Apache-2.0
//
// Raises soft limits to the hard ones during a capture, with prlimit(2).

#include "system/sys.h"

#include "epitaph_system.h"

#include <sys/resource.h>

enum { PENDING_LIMIT = 64, LIFTED_COUNT = 3 };

static const int lifted[LIFTED_COUNT] = {RLIMIT_FSIZE, RLIMIT_SIGPENDING, RLIMIT_NOFILE};
static struct rlimit previous[LIFTED_COUNT];
static bool is_lifted[LIFTED_COUNT];

static void lift(int index) {
    struct rlimit *limit = &previous[index];
    is_lifted[index] = false;
    if (epitaph_sys_resource_limit(lifted[index], NULL, limit) < 0) return;
    if (limit->rlim_cur >= limit->rlim_max) return;
    struct rlimit wanted = {limit->rlim_max, limit->rlim_max};
    is_lifted[index] = epitaph_sys_resource_limit(lifted[index], &wanted, NULL) == 0;
}

void epitaph_resource_limits_lift(void) {
    for (int i = 0; i < LIFTED_COUNT; i++)
        lift(i);
}

void epitaph_resource_limits_restore(bool has_met_size_limit) {
    for (int i = 0; i < LIFTED_COUNT; i++) {
        if (is_lifted[i]) epitaph_sys_resource_limit(lifted[i], &previous[i], NULL);
        is_lifted[i] = false;
    }
    if (!has_met_size_limit) return;
    // At most two are pending: the thread's and the process's.
    const uint64_t exceeded = epitaph_signal_bit(SIGXFSZ);
    for (int i = 0; i < PENDING_LIMIT && epitaph_sys_clear_pending_signal(exceeded) > 0; i++) {
    }
}
