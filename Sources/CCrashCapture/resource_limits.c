// SPDX-License-Identifier: Apache-2.0

#include "resource_limits.h"

#include "sys.h"

#include <signal.h>
#include <sys/resource.h>

enum { PENDING_LIMIT = 64, LIFTED_COUNT = 3 };

static const int lifted[LIFTED_COUNT] = {RLIMIT_FSIZE, RLIMIT_SIGPENDING, RLIMIT_NOFILE};
static struct rlimit earlier[LIFTED_COUNT];
static bool is_lifted[LIFTED_COUNT];

static void lift(int index) {
    struct rlimit *limit = &earlier[index];
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
        if (is_lifted[i]) epitaph_sys_resource_limit(lifted[i], &earlier[i], NULL);
        is_lifted[i] = false;
    }
    if (!has_met_size_limit) return;
    // A signal that is pending already is not queued again, so there are as many as there are
    // queues, the thread's and the process's.
    const uint64_t exceeded = 1ull << (SIGXFSZ - 1);
    for (int i = 0; i < PENDING_LIMIT && epitaph_sys_take_pending_signal(exceeded) > 0; i++) {
    }
}
