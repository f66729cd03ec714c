// SPDX-License-Identifier: Apache-2.0
//
// A forked child of a process that can change its user makes a dump file of its own while it still
// can: just before it gives up its rights, or at once if that would go unnoticed. The parent's
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

/// What the parent decides and the child of the same thread finds.
typedef enum fork_decision {
    /// Epitaph is not started, does not own its files, or a filter of the program could kill the
    /// child for a system call.
    CHILD_DOES_NOTHING,
    CHILD_LEAVES_FILES,
    CHILD_GETS_FILE,
    /// The parent has dropped privileges: the child is the same user and may inherit the file.
    CHILD_IS_HEIR,
} fork_decision;

/// Written only where it changes: after a fork each write costs parent or child a page fault.
static _Thread_local fork_decision decision __attribute__((tls_model("initial-exec")));

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

/// A child that makes its file just before it gives up its rights.
static bool owes_file(void) {
    int32_t pid = epitaph_capture_settings_now.owing_pid;
    return pid != 0 && pid == getpid();
}

/// Certain without a system call, for which a filter of the program could kill it.
static bool is_unchanged(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    return are_changes_told && !has_been_told && !epitaph_handed_out_any() &&
           __atomic_load_n(&settings->has_new_filters, __ATOMIC_ACQUIRE) == 0;
}

static fork_decision decide(void) {
    if (!epitaph_filters_are_old()) return CHILD_DOES_NOTHING;
    user_change change = ask_user_change();
    if (change == USER_CHANGES_NOW) epitaph_handed_out_look_after();
    if (change == USER_IS_FINAL) {
        epitaph_dump_file_bequeath(&epitaph_capture_settings_now.dump_file);
        return CHILD_IS_HEIR;
    }
    return change == USER_CHANGES_NOW || are_changes_told ? CHILD_GETS_FILE : CHILD_LEAVES_FILES;
}

// Writes nothing, not even errno, if nothing changed: each fork would pay for it.
EPITAPH_RUN_IN_CHILDREN void epitaph_fork_prepare(void) {
    fork_decision next = CHILD_DOES_NOTHING;
    if (may_have_changed_user && epitaph_is_started()) {
        if (is_unchanged()) {
            next = CHILD_GETS_FILE;
        } else if (epitaph_process_is_owner() || owes_file()) {
            int error_number = errno;
            next = decide();
            errno = error_number;
        }
    }
    if (decision != next) decision = next;
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

EPITAPH_RUN_IN_CHILDREN void epitaph_fork_begin_in_child(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    bool gets_file = decision == CHILD_GETS_FILE;
    if (decision == CHILD_DOES_NOTHING) return;
    epitaph_forked_child_leave_files(decision == CHILD_IS_HEIR, gets_file && are_changes_told);
    if (decision == CHILD_IS_HEIR || !are_changes_told) {
        int error_number = errno;
        if (decision == CHILD_IS_HEIR) epitaph_facts_collect_of_child(&settings->facts);
        if (gets_file) make_own_file();
        errno = error_number;
    }
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

/// A program that has closed every descriptor, and crashes as another user, could not open it.
/// Some go back and forth all the time: the proof comes first.
static void keep_file_open(void) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    bool is_armed = __atomic_load_n(&file->state, __ATOMIC_ACQUIRE) == EPITAPH_FILE_ARMED;
    if (!is_armed || epitaph_owned_file_prove(&file->file)) return;
    if (is_launch(&epitaph_capture_settings_now) && epitaph_filters_are_old())
        epitaph_dump_file_descriptor(file);
}

static void make_owed_file(void) {
    // If rights are only set aside, it is made before they are given up.
    if (!epitaph_filters_are_old() || ask_user_change() != USER_CHANGES_NOW) return;
    epitaph_capture_settings_now.owing_pid = 0;
    make_own_file();
}

void epitaph_rights_change_prepare(epitaph_rights_change change) {
    static uint32_t is_preparing;
    int error_number = errno;
    if (!may_have_changed_user || !epitaph_is_started() || epitaph_filters_may_kill()) return;
    if (__atomic_exchange_n(&is_preparing, 1, __ATOMIC_ACQ_REL) != 0) return;
    keep_file_open();
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
    epitaph_capture_settings_now.owing_pid = 0;
    if (!may_have_changed_user) return;
    epitaph_handed_out_prepare();
    if (is_watching) return;
    // Cannot be undone. Without memory, children are treated like those of any other process.
    is_watching = pthread_atfork(epitaph_fork_prepare, NULL, epitaph_fork_begin_in_child) == 0;
}
