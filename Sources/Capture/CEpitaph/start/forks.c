// SPDX-License-Identifier: Apache-2.0
//
// A process that may become another user gives each forked child a dump file while the child can
// still make one, and closes the parent's descriptors in it: the child may be about to give up its
// rights, as workers and daemons do. docs/decisions/workers-of-another-user.md explains the choice.
//
// These are handlers of pthread_atfork(3): a raw clone(2), vfork(2) and _Fork(3) run none of them.

#include "start/forks.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"
#include "facts/facts.h"
#include "files/files.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOTE_COUNT = 32, NO_PLACE = -1 };

/// What the parent has decided for the child that it is about to make. The child finds it by the
/// forking thread, which has the same pthread_self(3) on both sides.
typedef struct fork_note {
    /// 0 for a free entry.
    uint64_t thread;
    /// If one thread has two entries, because it forks in a signal handler in the middle of a fork,
    /// the one with the higher number is current.
    uint32_t number;
    /// The entry of the child's file in the parent, or NO_PLACE.
    int place;
    /// The parent has given up its rights: the child is the same user and may inherit the file.
    bool is_heir;
    uint8_t uuid[16];
} fork_note;

static fork_note notes[NOTE_COUNT];
static uint32_t last_number;

/// Whether a process may become another user. Capabilities are checked if it is not root: setuid(2)
/// to another user requires CAP_SETUID.
typedef enum user_change {
    USER_IS_FINAL,
    /// Not now: root, or the capability, is put aside, seteuid(2).
    USER_CHANGES_LATER,
    USER_CHANGES_NOW,
} user_change;

static user_change ask_user_change(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    uid_t real = 0, effective = 0, saved = 0;
    getresuid(&real, &effective, &saved);
    if (effective == 0) return USER_CHANGES_NOW;
    memset(data, 0, sizeof data);
    if (syscall(SYS_capget, &header, data) != 0) return USER_CHANGES_LATER;
    if ((data[0].effective >> CAP_SETUID & 1) != 0) return USER_CHANGES_NOW;
    bool is_one = real == effective && saved == effective;
    return is_one && (data[0].permitted >> CAP_SETUID & 1) == 0 ? USER_IS_FINAL
                                                                : USER_CHANGES_LATER;
}

/// As of epitaph_start.
static bool may_have_changed_user;

static fork_note *take_note(void) {
    for (int i = 0; i < NOTE_COUNT; i++) {
        uint64_t nobody = 0;
        uint64_t self = (uint64_t)pthread_self();
        if (!__atomic_compare_exchange_n(&notes[i].thread, &nobody, self, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            continue;
        }
        notes[i].number = __atomic_add_fetch(&last_number, 1, __ATOMIC_ACQ_REL);
        return &notes[i];
    }
    return NULL;
}

static fork_note *find_note(void) {
    fork_note *found = NULL;
    for (int i = 0; i < NOTE_COUNT; i++) {
        fork_note *note = &notes[i];
        uint64_t thread = __atomic_load_n(&note->thread, __ATOMIC_ACQUIRE);
        if (thread != (uint64_t)pthread_self()) continue;
        if (found == NULL || (int32_t)(note->number - found->number) > 0) found = note;
    }
    return found;
}

/// Without a note the child does nothing: Epitaph is not started, or has no files of its own, or no
/// system call may be made because a filter that the program installed may kill it.
static void prepare(void) {
    int error_number = errno;
    fork_note *note = NULL;
    if (may_have_changed_user && epitaph_is_started() && epitaph_process_is_owner() &&
        epitaph_filters_are_old()) {
        note = take_note();
    }
    if (note != NULL) {
        note->place = NO_PLACE;
        user_change change = ask_user_change();
        note->is_heir = change == USER_IS_FINAL;
        if (note->is_heir) epitaph_dump_file_bequeath(&epitaph_capture_settings_now.dump_file);
        if (change == USER_CHANGES_NOW) {
            epitaph_handed_out_look_after();
            note->place = epitaph_handed_out_reserve(note->uuid);
        }
    }
    errno = error_number;
}

static void go_on_in_parent(void) {
    int error_number = errno;
    fork_note *note = find_note();
    if (note != NULL) {
        if (note->place != NO_PLACE) epitaph_handed_out_begin(note->place);
        __atomic_store_n(&note->thread, 0, __ATOMIC_RELEASE);
    }
    errno = error_number;
}

static void take_own_file(const uint8_t uuid[16]) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (!epitaph_may_write_files() || !epitaph_pending_has_room()) return;
    epitaph_facts_collect_of_child(&settings->facts);
    settings->has_crashed_before = false;
    settings->is_handed_out = true;
    if (epitaph_dump_file_arm_handed_out(uuid) < 0) return;
    epitaph_filters_watch();
    epitaph_process_page_get()->owner_mark = 1;
}

static void begin_in_child(void) {
    int error_number = errno;
    fork_note *note = find_note();
    if (note != NULL) {
        fork_note own = *note;
        memset(notes, 0, sizeof notes);
        epitaph_handed_out_forget();
        epitaph_forked_child_leave_files(own.is_heir);
        if (own.is_heir) epitaph_facts_collect_of_child(&epitaph_capture_settings_now.facts);
        if (own.place != NO_PLACE && epitaph_is_started()) take_own_file(own.uuid);
    }
    errno = error_number;
}

void epitaph_forks_watch(void) {
    static bool is_watching;
    may_have_changed_user = ask_user_change() != USER_IS_FINAL;
    epitaph_handed_out_forget();
    if (!may_have_changed_user || is_watching) return;
    // It cannot be undone. If there is no memory for it, children are treated as those of any other
    // process.
    is_watching = pthread_atfork(prepare, go_on_in_parent, begin_in_child) == 0;
}
