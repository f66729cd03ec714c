// SPDX-License-Identifier: Apache-2.0
//
// A process that can change its user gives each forked child a dump file while the child can still
// create one, and closes the parent's descriptors in it, because the child may be about to drop
// privileges. docs/decisions/workers-of-another-user.md. Uses pthread_atfork(3), which raw
// clone(2), vfork(2) and _Fork(3) bypass.

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

/// The parent's decision, found by pthread_self(3), which is the same in the child.
typedef struct fork_note {
    /// 0 if free.
    uint64_t thread;
    /// The higher number is current if a handler forks during a fork of its thread.
    uint32_t number;
    /// Index of the child's file in the parent, or NO_PLACE.
    int place;
    /// The parent has dropped privileges: the child is the same user and may inherit the file.
    bool is_heir;
    uint8_t uuid[16];
} fork_note;

static fork_note notes[NOTE_COUNT];
static uint32_t last_number;

/// Whether the process can change its user: as root or with CAP_SETUID, setuid(2).
typedef enum user_change {
    USER_IS_FINAL,
    /// Privileges are set aside, seteuid(2).
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

/// At epitaph_start.
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

/// Without a note the child does nothing: Epitaph is not started, does not own its files, or a
/// filter of the program could kill it for a system call.
void epitaph_fork_prepare(void) {
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

void epitaph_fork_go_on_in_parent(void) {
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

void epitaph_fork_begin_in_child(void) {
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

/// Whether this process armed the file, and is no child of vfork(2), nor one that got its file from
/// its parent: those have children of their own seldom, and there may be many of them.
static bool is_launch(const epitaph_capture_settings *settings) {
    return epitaph_is_started() && epitaph_process_is_owner() && !settings->is_handed_out &&
           settings->dump_file.owner_pid == getpid();
}

void epitaph_user_change_prepare(void) {
    static uint32_t is_preparing;
    int error_number = errno;
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (__atomic_exchange_n(&is_preparing, 1, __ATOMIC_ACQ_REL) != 0) return;
    // In a directory of the new user's the children can make files themselves.
    if (may_have_changed_user && is_launch(settings) && !settings->has_other_owner &&
        epitaph_filters_are_old() && ask_user_change() == USER_CHANGES_NOW &&
        epitaph_may_write_files()) {
        epitaph_spare_files_make();
    }
    __atomic_store_n(&is_preparing, 0, __ATOMIC_RELEASE);
    errno = error_number;
}

void epitaph_forks_watch(void) {
    static bool is_watching;
    may_have_changed_user = ask_user_change() != USER_IS_FINAL;
    epitaph_handed_out_forget();
    if (!may_have_changed_user || is_watching) return;
    // Cannot be undone. Without memory, children are treated like those of any other process.
    is_watching = pthread_atfork(epitaph_fork_prepare, epitaph_fork_go_on_in_parent,
                                 epitaph_fork_begin_in_child) == 0;
}
