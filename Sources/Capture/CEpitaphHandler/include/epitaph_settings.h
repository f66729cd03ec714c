// SPDX-License-Identifier: Apache-2.0
//
// Everything prepared at quiet time for crash time. CEpitaph fills it in, arms the dump file and
// installs `epitaph_handle_signal`. Internal to the package: programs use epitaph.h.

#ifndef EPITAPH_SETTINGS_H
#define EPITAPH_SETTINGS_H

#include "epitaph_breadcrumb_storage.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_notes.h"
#include "epitaph_process.h"
#include "epitaph_system.h"
#include "epitaph_text_index.h"

#pragma GCC visibility push(hidden)

// Size and time limits of a dump; changed while the program runs.

#define EPITAPH_LIMIT_FIELD(field, ...) uint64_t field;
/// As in epitaph_option_table.h, in bytes, or milliseconds if named _ms. CEpitaph sets all.
typedef struct epitaph_capture_limits {
    EPITAPH_LIMITS(EPITAPH_LIMIT_FIELD)
    uint32_t pending_dumps;
} epitaph_capture_limits;
#undef EPITAPH_LIMIT_FIELD

typedef struct epitaph_limits_box {
    /// Number of changes; modulo 2, the index of the current copy. 0: never changed.
    uint32_t changes;
    epitaph_capture_limits values[2];
} epitaph_limits_box;

/// QUIET-TIME, one caller at a time. Sets the limits of later captures, not of a running one.
void epitaph_limits_publish(const epitaph_capture_limits *limits);

/// ANY-TIME. The latest limits. Do not keep the pointer: they may change.
const epitaph_capture_limits *epitaph_limits_latest(void);

/// CRASH-TIME. Copies the latest limits for a capture.
void epitaph_limits_load(void);

// The later action of a signal. Several threads and crash handlers write it concurrently; a reader
// gets a consistent copy at any moment. ANY-TIME, CRASH-TIME; none of these functions waits.

enum {
    /// The current one, and one for each of three writers.
    EPITAPH_LATER_ACTION_PLACES = 4,
    /// `epitaph_kernel_sigaction`: handler, flags, trampoline, mask.
    EPITAPH_LATER_ACTION_WORDS = 4,
};

/// All zeros: none.
typedef struct epitaph_later_action {
    /// Bits 0 and 1: the current place. 2: there is an action. 3: its handler was reset to the
    /// default. 4 to 7: places being written. From 8 on: count of actions.
    uint64_t state;
    uint64_t places[EPITAPH_LATER_ACTION_PLACES][EPITAPH_LATER_ACTION_WORDS];
} epitaph_later_action;

/// Makes `action` current. Returns false, changing nothing, if other threads keep changing it.
bool epitaph_later_action_set(epitaph_later_action *later,
                              const uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

bool epitaph_later_action_read(const epitaph_later_action *later,
                               uint64_t action[EPITAPH_LATER_ACTION_WORDS]);

/// Resets the handler to SIG_DFL until the next set; flags and mask stay. False without an action.
bool epitaph_later_action_reset(epitaph_later_action *later);

void epitaph_later_action_forget(epitaph_later_action *later);

/// QUIET-TIME. The stack for captures of threads that crash with too little stack left. It has a
/// guard page below and must stay mapped until the process ends.
void epitaph_emergency_stack_set(void *memory, size_t size);

enum {
    EPITAPH_RESERVED_FD_COUNT = 4,
    EPITAPH_SPARE_FILE_COUNT = 4,
    EPITAPH_ARMED_NAME_COUNT = 8,
    EPITAPH_REGISTERED_MEMORY_LIMIT = 64,
};

typedef struct epitaph_registered_memory {
    uint64_t address;
    uint64_t bytes;
} epitaph_registered_memory;

/// The file that was standard error when Epitaph started, and whether we write lines there.
typedef struct epitaph_standard_error {
    bool is_wanted;
    bool is_known;
    uint64_t device;
    uint64_t inode;
} epitaph_standard_error;

/// All input of crash time. Written at quiet time only, except where noted.
typedef struct epitaph_capture_settings {
    /// Read atomically.
    uint32_t is_started;
    /// The pending directory.
    epitaph_owned_file directory;
    /// The directory and our files in it belong to another user.
    bool has_other_owner;
    uint32_t directory_uid;
    uint32_t directory_gid;
    /// The mode of our files there, whatever the umask is; 0: leave it at 0600.
    uint32_t file_mode;
    /// In a forked child whose file name its parent chose: not a launch of its own.
    bool is_handed_out;
    /// Reserve for a process that dies with a full descriptor table.
    epitaph_owned_file reserved_files[EPITAPH_RESERVED_FD_COUNT];
    /// /proc/self/status, not read yet, and the filters it showed at the start; epitaph_process.h.
    epitaph_owned_file status_file;
    uint32_t filter_count;
    /// 1 once the program installed a filter, or the process was found to have others. Atomic.
    uint32_t has_new_filters;
    /// The program declares that its filters allow the calls of docs/async-safety.md.
    bool filters_allow_capture;
    epitaph_standard_error standard_error;
    char bundle_id[EPITAPH_BUNDLE_ID_SIZE];
    epitaph_dump_file dump_file;
    /// The descriptor of the file that the last crash took.
    epitaph_owned_file taken_file;
    /// The forked child that makes its file when it is told that it gives up its rights; 0: none.
    int32_t owing_pid;
    /// Of `spare_files`. Atomic.
    uint32_t spare_file_count;
    /// Of files armed so far.
    uint32_t armed_count;
    /// The dump of the last crash that was passed on to one of the program's handlers.
    bool has_crashed_before;
    uint8_t crash_uuid[16];
    /// Environment and command line at the start, except what dumps may have, and whether cut.
    epitaph_text_index private_texts;
    bool private_texts_are_cut;
    epitaph_capture_limits limits;
    /// Bit n - 1: signal n has our handler.
    uint64_t handled_signals;
    /// `epitaph_handle_signal`, to recognise our own actions; NULL before the first start.
    void (*crash_handler)(int signal, siginfo_t *info, void *context);
    /// Bit n - 1: the default action replaces the previous handler of signal n in this process.
    uint64_t replaced_signals;
    /// The signal that stops threads, and a kernel action made by libc whose trampoline we copy;
    /// all zeros before a handler was installed.
    int stop_signal;
    _Alignas(8) uint8_t libc_action[32];
    /// Whether threads that no signal reaches are stopped with ptrace(2) even where that makes the
    /// process traceable for a moment, or a filter may forbid it.
    bool traces_threads;
    epitaph_annotation *annotations;
    /// Nonzero: crashes are passed on as if Epitaph were not there. Atomic; changes at any time.
    uint32_t is_disabled;
    epitaph_limits_box next_limits;
    /// Bit n - 1: the program's sigaction(2) for signal n sets the later action; our handler stays.
    uint64_t virtual_signals;
    /// Bit n - 1: as it delivers signal n, the kernel restores the default action (SA_RESETHAND).
    uint64_t resetting_signals;
    /// Threads were seen sharing one alternate stack. Then no thread may be stopped by a handler
    /// that runs there: it would overwrite another's.
    uint32_t shares_alternate_stacks;
    /// A runtime takes our alternate stacks for its own: its handlers run there.
    uint32_t stacks_are_adopted;
    /// One more than the highest index ever used; the same for `attachments_used`.
    uint32_t annotations_used;
    /// NULL if there are none. Changed and read atomically, like `attachments`.
    epitaph_breadcrumb_ring *breadcrumbs;
    epitaph_attachment *attachments;
    uint32_t attachments_used;
    /// Bit n - 1: death by signal n, with the default action, is marked in the armed file.
    uint64_t marked_signals;
    bool has_memory_warning;
    /// Sampled allocations, in memory of their own library; NULL: none. Atomic.
    const struct epitaph_heap_pool *heap_pool;
    // Long arrays are last, as in `facts`.
    /// The signals' actions before ours: `epitaph_kernel_sigaction` bytes, to keep sys.h private.
    _Alignas(8) uint8_t previous_actions[EPITAPH_SIGNAL_LIMIT][32];
    epitaph_process_facts facts;
    /// Names of armed files, the latest at `armed_count` modulo EPITAPH_ARMED_NAME_COUNT. Each
    /// stays unchanged until that many others were armed, for callers that hold a pointer to it.
    char armed_names[EPITAPH_ARMED_NAME_COUNT][EPITAPH_DUMP_NAME_SIZE];
    /// The pending directory's absolute path in case the descriptor is gone.
    char directory_path[EPITAPH_PATH_SIZE];
    /// Per signal, the action that displaced our handler before ours was reinstalled, or that the
    /// program set while actions were virtual. A signal is passed on to it first.
    epitaph_later_action later_actions[EPITAPH_SIGNAL_LIMIT];
    epitaph_registered_memory registered_memory[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// For crashes of later children, which can make none because the process gave up its rights.
    /// Whoever crashes and gets the owner's lock has one.
    epitaph_dump_file spare_files[EPITAPH_SPARE_FILE_COUNT];
    /// Messages of C++'s terminate and of the program.
    epitaph_message_board cxx_messages;
    epitaph_message_board app_messages;
} epitaph_capture_settings;

extern epitaph_capture_settings epitaph_capture_settings_now;

#pragma GCC visibility pop

#endif
