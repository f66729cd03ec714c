// SPDX-License-Identifier: Apache-2.0
//
// What is prepared at quiet time for crash time: CEpitaph fills it in, arms the dump file and
// installs `epitaph_handle_signal`; from then on everything in this target uses it. Internal to the
// package: programs use epitaph.h.

#ifndef EPITAPH_SETTINGS_H
#define EPITAPH_SETTINGS_H

#include "epitaph_breadcrumb_storage.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_notes.h"
#include "epitaph_process.h"
#include "epitaph_system.h"
#include "epitaph_text_index.h"

#pragma GCC visibility push(hidden)

// How much a dump may hold and how long it may take; changed while the program runs.

#define EPITAPH_LIMIT_FIELD(field, ...) uint64_t field;
/// The limits of the same names in epitaph_option_table.h, in bytes or, where the name ends with
/// _ms, milliseconds. All set by CEpitaph.
typedef struct epitaph_capture_limits {
    EPITAPH_LIMITS(EPITAPH_LIMIT_FIELD)
    /// Sealed dumps of this bundle that may wait in the directory.
    uint32_t pending_dumps;
} epitaph_capture_limits;
#undef EPITAPH_LIMIT_FIELD

/// Limits changed while the program runs; one of two copies is current.
typedef struct epitaph_limits_box {
    /// How often they were changed; the copy of this number modulo 2 is current. 0: never.
    uint32_t changes;
    epitaph_capture_limits values[2];
} epitaph_limits_box;

/// QUIET-TIME, one caller at a time. Sets the limits of later captures; a running one keeps its
/// own.
void epitaph_limits_publish(const epitaph_capture_limits *limits);

/// ANY-TIME. The limits that were set last. Do not keep the pointer: they may change.
const epitaph_capture_limits *epitaph_limits_latest(void);

/// CRASH-TIME. Copies the limits that were set last, for a capture.
void epitaph_limits_load(void);

// The later action of one signal: kept by several writers, threads and handlers of a crash at once,
// and whole for whoever reads it at any moment. ANY-TIME, CRASH-TIME; none of these waits.

enum {
    /// One that counts, and one for each of three writers.
    EPITAPH_LATER_ACTION_PLACES = 4,
    /// `epitaph_kernel_sigaction`: the handler, then flags, trampoline and mask.
    EPITAPH_LATER_ACTION_WORDS = 4,
};

/// All zeros: there is none.
typedef struct epitaph_later_action {
    /// Bits 0 and 1: the place that counts. 2: there is an action. 3: its handler has become the
    /// default one. 4 to 7: places that are being written. From 8 on: how many actions there were.
    uint64_t state;
    uint64_t places[EPITAPH_LATER_ACTION_PLACES][EPITAPH_LATER_ACTION_WORDS];
} epitaph_later_action;

/// Makes `action` the one that counts. Returns false, with nothing changed, if other threads
/// changed it again and again meanwhile.
bool epitaph_later_action_set(epitaph_later_action *later,
                              const uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

/// Copies the action. Returns false if there is none.
bool epitaph_later_action_read(const epitaph_later_action *later,
                               uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

/// From now on the handler is the default one (SIG_DFL), until another action is set; flags and
/// mask stay. Returns false if there is no action.
bool epitaph_later_action_reset(epitaph_later_action *later);

/// From now on there is none.
void epitaph_later_action_forget(epitaph_later_action *later);

/// QUIET-TIME. The stack for captures of threads that crash with too little stack left; with
/// unreadable pages around it; it must stay mapped until the process ends.
void epitaph_emergency_stack_set(void *memory, size_t size);

// The settings themselves.

enum {
    EPITAPH_RESERVED_FD_COUNT = 4,
    EPITAPH_ARMED_NAME_COUNT = 8,
    EPITAPH_REGISTERED_MEMORY_LIMIT = 64,
};

/// Memory that the program wants in its dumps. An entry with 0 bytes is free.
typedef struct epitaph_registered_memory {
    uint64_t address;
    uint64_t bytes;
} epitaph_registered_memory;

/// Which file standard error was when Epitaph started, and whether we write lines there.
typedef struct epitaph_standard_error {
    bool is_wanted;
    bool is_known;
    /// `st_dev` and `st_ino`, stat(3type).
    uint64_t device;
    uint64_t inode;
} epitaph_standard_error;

/// All input of crash time. Written at quiet time only, except for the parts marked otherwise.
typedef struct epitaph_capture_settings {
    /// Whether Epitaph is started. Read atomically.
    uint32_t is_started;
    /// The directory of pending dumps, and its absolute path in case the descriptor is gone.
    epitaph_owned_file directory;
    char directory_path[EPITAPH_PATH_SIZE];
    /// The directory belongs to another user, and so do the files we make there.
    bool has_other_owner;
    uint32_t directory_uid;
    uint32_t directory_gid;
    /// The mode of the files we make there, whatever the umask is; 0 to leave it at 0600.
    uint32_t file_mode;
    /// In a forked child whose file was chosen by its parent: it is not a launch of its own.
    bool is_handed_out;
    /// Kept open so that a process with a full descriptor table can still open files while it dies.
    epitaph_owned_file reserved_files[EPITAPH_RESERVED_FD_COUNT];
    /// /proc/self/status, not read yet, and what it said about seccomp filters at the start; see
    /// epitaph_process.h.
    epitaph_owned_file status_file;
    uint32_t filter_count;
    /// The program guarantees that its filters allow the calls of docs/async-safety.md.
    bool filters_allow_capture;
    epitaph_standard_error standard_error;
    char bundle_id[EPITAPH_BUNDLE_ID_SIZE];
    epitaph_dump_file dump_file;
    /// The names of armed files, the latest at `armed_count` modulo the number of places; each
    /// stays unchanged until that many others were armed, for callers that hold a pointer to it.
    uint32_t armed_count;
    char armed_names[EPITAPH_ARMED_NAME_COUNT][EPITAPH_DUMP_NAME_SIZE];
    /// The dump of the last crash that was passed on to a handler of the program's.
    bool has_crashed_before;
    uint8_t crash_uuid[16];
    epitaph_process_facts facts;
    /// The environment and the command line as they were at the start, except what may be in dumps;
    /// and whether there was more than is kept.
    epitaph_text_index private_texts;
    bool private_texts_are_cut;
    epitaph_capture_limits limits;
    /// Bit n - 1 is set if signal n has our handler.
    uint64_t handled_signals;
    /// `epitaph_handle_signal`, by which our own actions are recognised; NULL before the first
    /// start.
    void (*crash_handler)(int signal, siginfo_t *info, void *context);
    /// Bit n - 1 is set if the previous handler of signal n should not run in this process; the
    /// default action replaces it.
    uint64_t replaced_signals;
    /// The previous action of each signal, from before ours: `epitaph_kernel_sigaction` values,
    /// stored as bytes to keep sys.h private.
    _Alignas(8) uint8_t previous_actions[EPITAPH_SIGNAL_LIMIT][32];
    /// The signal that stops threads, and a kernel action made by libc whose trampoline is copied;
    /// all zeros before a handler was installed.
    int stop_signal;
    _Alignas(8) uint8_t libc_action[32];
    /// Whether threads that do not receive it are stopped with ptrace(2).
    bool traces_threads;
    epitaph_annotation *annotations;
    /// Nonzero: crashes are passed on as if Epitaph were not there. Changed and read atomically, at
    /// any time.
    uint32_t is_disabled;
    /// The source of `limits` at the beginning of a capture.
    epitaph_limits_box next_limits;
    /// Of each signal, the action that displaced our handler before ours was put back in front of
    /// it, or that the program installed while actions were virtual. A signal is passed on to the
    /// later action first.
    epitaph_later_action later_actions[EPITAPH_SIGNAL_LIMIT];
    /// Bit n - 1 is set if the program's sigaction(2) calls for signal n change its later action
    /// and leave our handler in force.
    uint64_t virtual_signals;
    /// Whether threads have been seen to share one alternate stack. Then none may be stopped by a
    /// handler that runs there: it would overwrite another's.
    uint32_t shares_alternate_stacks;
    /// The messages of C++'s terminate and of the program itself.
    epitaph_message_board cxx_messages;
    epitaph_message_board app_messages;
    /// One more than the highest index ever used.
    uint32_t annotations_used;
    epitaph_registered_memory registered_memory[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// NULL before the start and if there are none. Changed and read atomically.
    epitaph_breadcrumb_ring *breadcrumbs;
    /// NULL before the first was added. Changed and read atomically.
    epitaph_attachment *attachments;
    /// One more than the highest index that was ever in use.
    uint32_t attachments_used;
    /// Bit n - 1: the death by signal n, with the default action, is marked in the armed file.
    uint64_t marked_signals;
    /// The program was told that memory is short.
    bool has_memory_warning;
} epitaph_capture_settings;

extern epitaph_capture_settings epitaph_capture_settings_now;

#pragma GCC visibility pop

#endif
