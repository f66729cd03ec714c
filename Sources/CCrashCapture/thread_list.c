// SPDX-License-Identifier: Apache-2.0
//
// Finding the threads of the process in /proc/self/task and sending each the stop signal.

#include "thread_stop.h"

#include "bytes.h"
#include "sys.h"
#include "thread_registry.h"
#include "thread_waiting.h"

#include <errno.h>
#include <fcntl.h>

enum {
    DIRENT_NAME_OFFSET = 19,
    DIRENT_LENGTH_OFFSET = 16,
    DIRENT_BUFFER_SIZE = 4096,
};

static void ask(epitaph_capture *capture, int32_t tid) {
    if (tid == capture->tid) return;
    epitaph_thread_slot *slot = epitaph_thread_slots_add(&capture->threads, tid);
    if (slot == NULL) return;
    if (capture->is_live && !epitaph_thread_may_be_interrupted(tid)) {
        epitaph_thread_slot_settle(&capture->threads, slot, EPITAPH_THREAD_LEFT_RUNNING);
        return;
    }
    int signal = epitaph_capture_settings_now.stop_signal;
    if (epitaph_sys_tgkill(capture->pid, tid, signal) == -ESRCH) {
        epitaph_thread_slot_settle(&capture->threads, slot, EPITAPH_THREAD_GONE);
    }
}

/// Asks the threads named by `count` bytes of directory entries: `struct linux_dirent64`,
/// getdents(2).
static void ask_entries(epitaph_capture *capture, const char *entries, long count) {
    for (long i = 0; i + DIRENT_NAME_OFFSET < count;) {
        uint16_t length;
        epitaph_bytes_copy(&length, entries + i + DIRENT_LENGTH_OFFSET, sizeof length);
        const char *name = entries + i + DIRENT_NAME_OFFSET;
        int32_t tid = (int32_t)epitaph_text_read_decimal(&name, entries + count);
        if (tid > 0) ask(capture, tid);
        if (length == 0) break;
        i += length;
    }
}

static void ask_registered(void *capture, int32_t tid) {
    ask(capture, tid);
}

uint32_t epitaph_threads_ask_listed(epitaph_capture *capture) {
    epitaph_thread_slots *slots = &capture->threads;
    uint32_t known = slots->count;
    long fd =
        epitaph_sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        slots->error = (int32_t)-fd;
        epitaph_thread_registry_visit(capture, ask_registered);
        return slots->count - known;
    }
    _Alignas(8) char entries[DIRENT_BUFFER_SIZE];
    long got;
    while ((got = epitaph_sys_getdents((int)fd, entries, sizeof entries)) > 0) {
        ask_entries(capture, entries, got);
    }
    slots->error = (int32_t)-got;
    epitaph_sys_close((int)fd);
    return slots->count - known;
}
