// SPDX-License-Identifier: Apache-2.0
//
// Finds the process's threads in /proc/self/task and sends each the stop signal.

#include "threads/threads.h"

#include <errno.h>
#include <fcntl.h>

enum { LISTING_SIZE = 4096 };

static void ask(epitaph_capture *capture, int32_t tid) {
    if (tid == capture->tid) return;
    const epitaph_report_request *request = capture->request;
    if (request != NULL && request->has_one_thread && tid != request->subject_tid) return;
    epitaph_thread_slot *slot = epitaph_thread_slots_add(capture->threads, tid);
    if (slot == NULL) return;
    if (capture->is_live && !epitaph_thread_may_be_interrupted(tid)) {
        epitaph_thread_slot_settle(capture->threads, slot, EPITAPH_THREAD_LEFT_RUNNING);
        return;
    }
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_tgkill(capture->pid, tid, signal) == -ESRCH) {
        epitaph_thread_slot_settle(capture->threads, slot, EPITAPH_THREAD_GONE);
    }
}

static void ask_entries(epitaph_capture *capture, const char *listing, long count) {
    epitaph_directory_entries entries = epitaph_directory_entries_of(listing, (size_t)count);
    const char *name;
    size_t limit;
    while ((name = epitaph_directory_entries_next(&entries, &limit)) != NULL) {
        const char *end = name + limit;
        int32_t tid = (int32_t)epitaph_text_read_decimal(&name, end);
        if (tid > 0) ask(capture, tid);
    }
}

static void ask_registered(void *capture, int32_t tid) {
    ask(capture, tid);
}

uint32_t epitaph_threads_ask_listed(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    uint32_t known = slots->count;
    _Alignas(8) char entries[LISTING_SIZE];
    // By our own entry, which is missing from a /proc of another pid namespace.
    long fd = epitaph_task_file_open(capture->tid, "/..", O_DIRECTORY);
    long got = fd;
    while (fd >= 0 && (got = epitaph_sys_getdents((int)fd, entries, sizeof entries)) > 0) {
        ask_entries(capture, entries, got);
    }
    if (fd >= 0) epitaph_sys_close((int)fd);
    if (got < 0) epitaph_thread_registry_visit(capture, ask_registered);
    slots->error = (int32_t)-got;
    return slots->count - known;
}
