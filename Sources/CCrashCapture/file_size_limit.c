// SPDX-License-Identifier: Apache-2.0

#include "file_size_limit.h"

#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

enum { PENDING_LIMIT = 64 };

static struct rlimit earlier;
static bool is_lifted;

void epitaph_file_size_limit_lift(void) {
    is_lifted = false;
    if (epitaph_sys_file_size_limit(NULL, &earlier) < 0) return;
    if (earlier.rlim_cur >= earlier.rlim_max) return;
    struct rlimit lifted = {earlier.rlim_max, earlier.rlim_max};
    is_lifted = epitaph_sys_file_size_limit(&lifted, NULL) == 0;
}

void epitaph_file_size_limit_restore(int write_error) {
    if (is_lifted) epitaph_sys_file_size_limit(&earlier, NULL);
    is_lifted = false;
    if (write_error != EFBIG) return;
    // A signal that is pending already is not queued again, so there are as many as there are
    // queues, the thread's and the process's.
    const uint64_t exceeded = 1ull << (SIGXFSZ - 1);
    for (int i = 0; i < PENDING_LIMIT && epitaph_sys_take_pending_signal(exceeded) > 0; i++) {
    }
}
