// SPDX-License-Identifier: Apache-2.0
//
// The breadcrumb file as the options want it.

#include "choices/choices.h"

#include "base/base.h"
#include "epitaph_breadcrumb_storage.h"
#include "epitaph_file.h"

#include <errno.h>
#include <unistd.h>

/// Why there is no breadcrumb file, an errno; 0 if there is one.
static int reason = ENOENT;

static bool has_signal(const int *signals, int wanted) {
    for (; *signals != 0; signals++) {
        if (*signals == wanted) return true;
    }
    return false;
}

static size_t whole_pages(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

void epitaph_breadcrumb_file_prepare(const epitaph_options *options) {
    uint8_t uuid[16];
    epitaph_breadcrumb_file_leave();
    reason = ENOENT;
    if (options->breadcrumb_file_bytes == 0) return;
    // SIGBUS, raised if another process truncates the file, must not kill the program.
    if (!has_signal(options->signals, SIGBUS)) {
        reason = ENOTSUP;
        return;
    }
    long result = epitaph_uuid_make(uuid);
    if (result == 0) {
        result = epitaph_breadcrumb_file_make(whole_pages(options->breadcrumb_file_bytes), uuid);
    }
    reason = (int)-result;
}

int epitaph_breadcrumb_file_check(void) {
    epitaph_state_lock();
    uint8_t uuid[16];
    int present = reason;
    if (!epitaph_breadcrumb_file_is_there(uuid) && present == 0) present = ENOENT;
    if (epitaph_breadcrumb_file_is_lost()) present = EIO;
    epitaph_state_unlock();
    return present;
}
