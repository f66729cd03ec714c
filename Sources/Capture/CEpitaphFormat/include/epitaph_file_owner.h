// SPDX-License-Identifier: Apache-2.0
//
// Which process a `.locked` file belongs to, and whether that process still needs it. The rule is
// explained in docs/decisions/claiming-dumps.md.

#ifndef EPITAPH_FILE_OWNER_H
#define EPITAPH_FILE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum epitaph_file_contents {
    /// No complete launch record.
    EPITAPH_FILE_HAS_NOTHING,
    /// Only zeros, displaced handlers, or the mark of an end by a signal.
    EPITAPH_FILE_HAS_LAUNCH,
    EPITAPH_FILE_HAS_CLEAN_END,
    /// Anything else: the handler ran.
    EPITAPH_FILE_HAS_CRASH,
} epitaph_file_contents;

/// A process in its launch record: ids are reused, and differ between pid namespaces. 0: unknown.
typedef struct epitaph_process_identity {
    int32_t pid;
    uint64_t start_ticks;
    uint64_t pid_namespace;
    uint8_t boot_id[16];
} epitaph_process_identity;

/// ANY-TIME. Whether a boot or report id is not all zeros.
bool epitaph_id_is_known(const uint8_t id[16]);
bool epitaph_ids_are_equal(const uint8_t left[16], const uint8_t right[16]);

/// ANY-TIME. Unknown identities equal nothing: a process id alone may have been reused.
bool epitaph_is_same_process(const epitaph_process_identity *left,
                             const epitaph_process_identity *right);

typedef struct epitaph_file_head {
    epitaph_file_contents contents;
    epitaph_process_identity owner;
    /// HEAD_BYTES; 0 without a head.
    uint32_t head_bytes;
    /// LAUNCH_TIME, microseconds since 1970; 0 if unknown.
    uint64_t start_us;
    /// Time of a clean exit or of an end by a signal; 0: none.
    uint64_t end_us;
    /// 0: none.
    int32_t end_signal;
    bool is_child;
    bool had_memory_warning;
    /// An earlier crash of the launch has a file of its own.
    bool follows_crash;
    /// EPITAPH_FILE_HAS_CRASH, but a live dump.
    bool is_live;
} epitaph_file_head;

/// ANY-TIME. Reads the first `count` bytes, which may be anything, of a dump file of `file_bytes`.
epitaph_file_head epitaph_file_head_read(const uint8_t *bytes, size_t count, uint64_t file_bytes);

/// F_GETLK on the owner's record lock. Closing another descriptor of the file drops the lock.
typedef enum epitaph_file_lock {
    EPITAPH_FILE_LOCK_FREE,
    EPITAPH_FILE_LOCK_HELD,
    EPITAPH_FILE_LOCK_UNAVAILABLE,
} epitaph_file_lock;

/// /proc/PID/stat of the owner's process id in this pid namespace.
typedef enum epitaph_process_state {
    EPITAPH_PROCESS_UNKNOWN,
    EPITAPH_PROCESS_RUNS,
    EPITAPH_PROCESS_HAS_ENDED,
} epitaph_process_state;

/// The part locked by the owner. The byte after it, beyond any file, is for children that may
/// inherit a file in which the owner leaves no crash.
static const int64_t epitaph_owners_part_bytes = (int64_t)1 << 62;

typedef struct epitaph_owner_evidence {
    epitaph_file_lock lock;
    bool has_launch_record;
    epitaph_process_identity owner;
    epitaph_process_state state;
    /// Of the process that has the owner's id now.
    uint64_t running_start_ticks;
    /// The process that asks. Files it uses itself are excluded before.
    epitaph_process_identity asker;
    /// Since the last write; negative if the clock was set back.
    int64_t age_seconds;
    bool is_own_bundle;
} epitaph_owner_evidence;

/// An owner takes milliseconds from creating the file to its lock and launch record.
static const int64_t epitaph_starting_grace_seconds = 60;

typedef enum epitaph_process_verdict {
    EPITAPH_PROCESS_IS_UNKNOWN,
    EPITAPH_PROCESS_IS_ALIVE,
    EPITAPH_PROCESS_IS_DEAD,
    /// It is the process that asks.
    EPITAPH_PROCESS_WAS_REPLACED,
} epitaph_process_verdict;

/// ANY-TIME. Whether the process of the launch record runs: the conclusion without lock and age. A
/// process id means something only in its namespace, in its boot and together with its start time.
epitaph_process_verdict epitaph_process_judge(const epitaph_owner_evidence *evidence);

typedef enum epitaph_owner_verdict {
    EPITAPH_OWNER_IS_ALIVE,
    EPITAPH_OWNER_IS_DEAD,
    /// The asking process wrote the file before execve(2), which keeps process id and start time.
    EPITAPH_OWNER_WAS_REPLACED,
} epitaph_owner_verdict;

epitaph_owner_verdict epitaph_owner_judge(const epitaph_owner_evidence *evidence);

#pragma GCC visibility pop

#endif
