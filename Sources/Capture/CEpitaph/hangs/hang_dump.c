// SPDX-License-Identifier: Apache-2.0
//
// A live dump that stays locked until it is known how the hang ends.

#include "hangs/hangs.h"

#include "epitaph_dump_format.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/// If another live dump takes this long, the hang is not captured.
static const uint64_t turn_timeout_ns = 5ull * 1000000000;

static bool is_ours(int32_t tid) {
    return tid > 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

long epitaph_hang_dump_take(epitaph_hang_dump *dump, const char *name, int32_t tid,
                            uint64_t silent_ns) {
    const epitaph_report_request request = {
        .kind = EPITAPH_REPORT_KIND_HANG,
        .subject_tid = is_ours(tid) ? tid : 0,
        .duration_ns = silent_ns,
        .subject_name = name,
    };
    if (!epitaph_pending_has_room()) return -ENOSPC;
    long result = epitaph_live_capture(&dump->file, &request, -1, NULL, turn_timeout_ns);
    dump->is_open = result == 0;
    return result;
}

void epitaph_hang_dump_keep(epitaph_hang_dump *dump, bool is_over, uint64_t silent_ns) {
    if (!dump->is_open) return;
    dump->is_open = false;
    uint8_t kind = is_over ? EPITAPH_REPORT_KIND_RECOVERED_HANG : EPITAPH_REPORT_KIND_HANG;
    // On failure the file still says what was true when it was written.
    epitaph_report_request_amend(&dump->file, kind, silent_ns);
    // On failure it becomes a report once this process has ended.
    epitaph_dump_file_seal(&dump->file);
}

void epitaph_hang_dump_discard(epitaph_hang_dump *dump) {
    if (!dump->is_open) return;
    dump->is_open = false;
    epitaph_dump_file_discard(&dump->file);
}
