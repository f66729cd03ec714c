// SPDX-License-Identifier: Apache-2.0
//
// What quiet time prepares for crash time: CEpitaph fills it in, arms the dump file and installs
// `epitaph_handle_signal`; from then on everything in this target works on what is here. Internal
// to the package: programs use epitaph.h.

#ifndef EPITAPH_SETTINGS_H
#define EPITAPH_SETTINGS_H

#include "epitaph_annotation.h"
#include "epitaph_attachment.h"
#include "epitaph_breadcrumb_ring.h"
#include "epitaph_capture_limits.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_message_board.h"
#include "epitaph_owned_file.h"
#include "epitaph_process_facts.h"
#include "epitaph_signal_set.h"
#include "epitaph_text_index.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_RESERVED_FD_COUNT = 4,
    EPITAPH_ARMED_NAME_COUNT = 8,
    EPITAPH_REGISTERED_MEMORY_LIMIT = 64,
};

/// Memory the program wants in its dumps. An entry with 0 bytes is free.
typedef struct epitaph_registered_memory {
    uint64_t address;
    uint64_t bytes;
} epitaph_registered_memory;

/// What standard error was when Epitaph started, and whether last lines are to be written there.
typedef struct epitaph_standard_error {
    bool is_wanted;
    bool is_known;
    /// `st_dev` and `st_ino`, stat(3type).
    uint64_t device;
    uint64_t inode;
} epitaph_standard_error;

/// Everything crash time knows. Written at quiet time only, but for the parts marked otherwise.
typedef struct epitaph_capture_settings {
    /// Whether Epitaph is started. Read atomically.
    uint32_t is_started;
    /// The pending-dumps directory, and its absolute path for when the descriptor is gone.
    epitaph_owned_file directory;
    char directory_path[EPITAPH_PATH_SIZE];
    /// The directory is another user's than ours, and so are the files we make there.
    bool has_other_owner;
    uint32_t directory_uid;
    uint32_t directory_gid;
    /// A forked child whose file was chosen by its parent: it is no launch of its own.
    bool is_handed_out;
    /// Kept open so that a process with a full descriptor table can still open files while it dies.
    epitaph_owned_file reserved_files[EPITAPH_RESERVED_FD_COUNT];
    /// /proc/self/status, not read yet, and what it said of seccomp filters at the start; see
    /// epitaph_filters.h.
    epitaph_owned_file status_file;
    uint32_t filter_count;
    /// The program vouches that its filters allow the calls of docs/async-safety.md.
    bool filters_allow_capture;
    epitaph_standard_error standard_error;
    char bundle_id[EPITAPH_BUNDLE_ID_SIZE];
    epitaph_dump_file dump_file;
    /// The names armed files had, the latest at `armed_count` modulo the count of places; each
    /// stays as it is until so many others were armed, for those who hold it.
    uint32_t armed_count;
    char armed_names[EPITAPH_ARMED_NAME_COUNT][EPITAPH_DUMP_NAME_SIZE];
    /// The dump of the crash that was passed on to a handler of the program's last.
    bool has_crashed_before;
    uint8_t crash_uuid[16];
    epitaph_process_facts facts;
    /// The environment and the command line as they were at the start, but for what may be in
    /// dumps; and whether there was more of them than is kept.
    epitaph_text_index private_texts;
    bool private_texts_are_cut;
    epitaph_capture_limits limits;
    /// Bit n - 1: signal n has our handler.
    uint64_t handled_signals;
    /// `epitaph_handle_signal`, by which our own actions are known; NULL before the first start.
    void (*crash_handler)(int signal, siginfo_t *info, void *context);
    /// Bit n - 1: the previous handler of signal n is one that this process is better off without;
    /// the default action stands in for it.
    uint64_t replaced_signals;
    /// The previous action of each signal, the one it had before ours: `epitaph_kernel_sigaction`
    /// values, kept as bytes to keep sys.h private.
    _Alignas(8) uint8_t previous_actions[EPITAPH_SIGNAL_LIMIT][32];
    /// The signal that stops threads, and a kernel action made by libc to take its trampoline from;
    /// all zeros before a handler was installed.
    int stop_signal;
    _Alignas(8) uint8_t libc_action[32];
    /// Whether threads that do not take it are stopped with ptrace(2).
    bool traces_threads;
    epitaph_annotation *annotations;
    /// Nonzero: crashes are passed on as if we were not there. Changed and read atomically, at any
    /// time.
    uint32_t is_disabled;
    /// Where `limits` come from at the beginning of a capture.
    epitaph_limits_box next_limits;
    /// Bit n - 1: signal n had got a later action, one that displaced our handler, before ours was
    /// put back in front of it. A signal is passed on to the later action first.
    uint64_t later_signals;
    _Alignas(8) uint8_t later_actions[EPITAPH_SIGNAL_LIMIT][32];
    /// The last words of C++'s terminate and of the program itself.
    epitaph_message_board cxx_messages;
    epitaph_message_board app_messages;
    /// One more than the highest index that was ever in use.
    uint32_t annotations_used;
    epitaph_registered_memory registered_memory[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// NULL before the start and when there are to be none. Changed and read atomically.
    epitaph_breadcrumb_ring *breadcrumbs;
    /// NULL before the first was added. Changed and read atomically.
    epitaph_attachment *attachments;
    /// One more than the highest index that was ever in use.
    uint32_t attachments_used;
} epitaph_capture_settings;

extern epitaph_capture_settings epitaph_capture_settings_now;

#pragma GCC visibility pop

#endif
