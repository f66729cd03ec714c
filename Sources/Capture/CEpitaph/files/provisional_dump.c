// SPDX-License-Identifier: Apache-2.0
//
// A dump in case the kernel kills the process soon. Its file stays locked, so sweeps leave it alone
// until the process is dead, and then find out why it died.

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "files/files.h"

#include <errno.h>

/// Memory pressure does not wait: make the dump soon or not at all.
static const uint64_t turn_timeout_ns = 5ull * 1000000000;

static epitaph_dump_file present;

static void discard(void) {
    epitaph_process_page *page = epitaph_process_page_get();
    // A forked child does not own its parent's.
    if (page->has_provisional_dump == 0) return;
    page->has_provisional_dump = 0;
    epitaph_dump_file_discard(&present);
}

static epitaph_status take(const epitaph_report_request *request, epitaph_error *error) {
    epitaph_dump_file file;
    if (!epitaph_pending_has_room()) {
        return epitaph_error_set(error, EPITAPH_NO_ROOM, 0, "too many dumps wait already");
    }
    long result = epitaph_live_capture(&file, request, -1, NULL, turn_timeout_ns);
    if (result < 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, (int)-result,
                                 "cannot write a live dump into the pending dumps");
    }
    // Discard the old one only now, so that there always is one.
    discard();
    present = file;
    epitaph_process_page_get()->has_provisional_dump = 1;
    return EPITAPH_OK;
}

epitaph_status epitaph_provisional_dump_take(const epitaph_live_request *given,
                                             epitaph_error *error) {
    epitaph_report_request request;
    epitaph_status status = epitaph_started_check(error);
    if (status != EPITAPH_OK) return status;
    status = epitaph_live_request_read(given, &request, error);
    if (status != EPITAPH_OK) return status;
    if (given->path != NULL) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "path: a provisional dump has none");
    }
    request.is_provisional = true;
    epitaph_process_lock_take(EPITAPH_LOCK_PROVISIONAL_DUMP);
    status = take(&request, error);
    epitaph_process_lock_give(EPITAPH_LOCK_PROVISIONAL_DUMP);
    return status;
}

void epitaph_provisional_dump_drop(void) {
    epitaph_process_lock_take(EPITAPH_LOCK_PROVISIONAL_DUMP);
    discard();
    epitaph_process_lock_give(EPITAPH_LOCK_PROVISIONAL_DUMP);
}

void epitaph_provisional_dump_discard(void) {
    epitaph_provisional_dump_drop();
}
