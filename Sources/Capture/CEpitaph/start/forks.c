// SPDX-License-Identifier: Apache-2.0
//
// A forked child of a process that can change its user makes a dump file of its own while it still
// can: when it is told to give up its rights, or at once where nobody would tell. The parent's
// descriptors are closed in it before. docs/decisions/workers-of-another-user.md. Uses
// pthread_atfork(3), which raw clone(2), vfork(2) and _Fork(3) bypass.

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

enum { NOTE_COUNT = 32 };

/// The parent's decision, found by pthread_self(3), which is the same in the child.
typedef struct fork_note {
    /// 0 if free.
    uint64_t thread;
    /// The higher number is current if a handler forks during a fork of its thread.
    uint32_t number;
    /// The child is to have a file of its own.
    bool gets_file;
    /// The parent has dropped privileges: the child is the same user and may inherit the file.
    bool is_heir;
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

/// Whether libc's functions that give up rights tell us before, and whether one ever did.
static bool are_changes_told;
static bool has_been_told;

/// The forked child that makes its file when it is told that it gives up its rights; 0: none.
static int32_t owing_pid;

static bool owes_file(void) {
    return owing_pid != 0 && owing_pid == getpid();
}

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

/// Whether it is certain, without a system call, that nothing has changed since the start: a filter
/// of the program could kill it for one.
static bool is_unchanged(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    return are_changes_told && !has_been_told && !epitaph_handed_out_any() &&
           __atomic_load_n(&settings->has_new_filters, __ATOMIC_ACQUIRE) == 0;
}

static void decide(fork_note *note) {
    user_change change = ask_user_change();
    note->is_heir = change == USER_IS_FINAL;
    note->gets_file =
        change == USER_CHANGES_NOW || (are_changes_told && change == USER_CHANGES_LATER);
    if (note->is_heir) epitaph_dump_file_bequeath(&epitaph_capture_settings_now.dump_file);
    if (change == USER_CHANGES_NOW) epitaph_handed_out_look_after();
}

/// Without a note the child does nothing: Epitaph is not started, does not own its files, or a
/// filter of the program could kill it for a system call.
void epitaph_fork_prepare(void) {
    int error_number = errno;
    bool is_ours = may_have_changed_user && epitaph_is_started() &&
                   (epitaph_process_is_owner() || owes_file());
    bool is_same = is_ours && is_unchanged();
    fork_note *note = is_same || (is_ours && epitaph_filters_are_old()) ? take_note() : NULL;
    if (note != NULL) {
        note->gets_file = true;
        note->is_heir = false;
        if (!is_same) decide(note);
    }
    errno = error_number;
}

void epitaph_fork_go_on_in_parent(void) {
    int error_number = errno;
    fork_note *note = find_note();
    if (note != NULL) __atomic_store_n(&note->thread, 0, __ATOMIC_RELEASE);
    errno = error_number;
}

static void make_own_file(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint8_t uuid[16];
    if (!epitaph_may_write_files() || !epitaph_pending_has_room()) return;
    if (!epitaph_handed_out_take_place(uuid)) return;
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
        epitaph_forked_child_leave_files(own.is_heir);
        if (own.is_heir) epitaph_facts_collect_of_child(&epitaph_capture_settings_now.facts);
        owing_pid = own.gets_file && are_changes_told ? getpid() : 0;
        if (own.gets_file && !are_changes_told && epitaph_is_started()) make_own_file();
    }
    errno = error_number;
}

/// Whether this process armed the file, and is no child of vfork(2), nor one that got its file from
/// its parent: those have children of their own seldom, and there may be many of them.
static bool is_launch(const epitaph_capture_settings *settings) {
    return epitaph_is_started() && epitaph_process_is_owner() && !settings->is_handed_out &&
           settings->dump_file.owner_pid == getpid();
}

static void make_spare_files(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    // In a directory of the new user's the children can make files themselves.
    if (!is_launch(settings) || settings->has_other_owner) return;
    if (__atomic_load_n(&settings->spare_file_count, __ATOMIC_ACQUIRE) == EPITAPH_SPARE_FILE_COUNT)
        return;
    if (epitaph_filters_are_old() && ask_user_change() == USER_CHANGES_NOW &&
        epitaph_may_write_files()) {
        epitaph_spare_files_make();
    }
}

static void make_owed_file(void) {
    // Where rights are only set aside, it is made before they are given up.
    if (!epitaph_filters_are_old() || ask_user_change() != USER_CHANGES_NOW) return;
    owing_pid = 0;
    make_own_file();
}

void epitaph_rights_change_prepare(epitaph_rights_change change) {
    static uint32_t is_preparing;
    int error_number = errno;
    if (!may_have_changed_user || !epitaph_is_started()) return;
    if (__atomic_exchange_n(&is_preparing, 1, __ATOMIC_ACQ_REL) != 0) return;
    if (change != EPITAPH_REACH_CHANGES) has_been_told = true;
    if (owes_file()) {
        make_owed_file();
    } else if (change == EPITAPH_USER_CHANGES) {
        make_spare_files();
    }
    __atomic_store_n(&is_preparing, 0, __ATOMIC_RELEASE);
    errno = error_number;
}

void epitaph_rights_changes_are_told(void) {
    are_changes_told = true;
}

void epitaph_forks_watch(void) {
    static bool is_watching;
    may_have_changed_user = ask_user_change() != USER_IS_FINAL;
    has_been_told = false;
    owing_pid = 0;
    if (!may_have_changed_user) return;
    epitaph_handed_out_prepare();
    if (is_watching) return;
    // Cannot be undone. Without memory, children are treated like those of any other process.
    is_watching = pthread_atfork(epitaph_fork_prepare, epitaph_fork_go_on_in_parent,
                                 epitaph_fork_begin_in_child) == 0;
}
