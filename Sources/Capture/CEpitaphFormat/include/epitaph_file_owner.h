// SPDX-License-Identifier: Apache-2.0
//
// Which process a `.locked` file belongs to, and whether that process still needs it. The rule is
// explained in docs/decisions/claiming-dumps.md; `OwnerEvidence` of DumpConversion is the same in
// Swift, and a test applies both to one table of cases.

#ifndef EPITAPH_FILE_OWNER_H
#define EPITAPH_FILE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What follows the launch record of a dump file.
typedef enum epitaph_file_contents {
    /// There is no launch record, or it is incomplete.
    EPITAPH_FILE_HAS_NOTHING,
    /// Nothing but zeros, which handlers were displaced, or the mark of an end by a signal.
    EPITAPH_FILE_HAS_LAUNCH,
    /// The mark of a clean end.
    EPITAPH_FILE_HAS_CLEAN_END,
    /// Anything else: the handler ran.
    EPITAPH_FILE_HAS_CRASH,
} epitaph_file_contents;

/// A process as identified by its launch record: an id alone is reused, and means another process
/// in another pid namespace. 0 means not known; for the boot's id that is all zeros.
typedef struct epitaph_process_identity {
    int32_t pid;
    uint64_t start_ticks;
    uint64_t pid_namespace;
    uint8_t boot_id[16];
} epitaph_process_identity;

/// ANY-TIME. Whether the id of a boot or of a report is known: not all zeros.
bool epitaph_id_is_known(const uint8_t id[16]);
bool epitaph_ids_are_equal(const uint8_t left[16], const uint8_t right[16]);

/// ANY-TIME. Whether both are one process. What is not known is the same as nothing: a process id
/// alone may be another process's by now.
bool epitaph_is_same_process(const epitaph_process_identity *left,
                             const epitaph_process_identity *right);

/// The decoded beginning of a dump file.
typedef struct epitaph_file_head {
    epitaph_file_contents contents;
    epitaph_process_identity owner;
    /// HEAD_BYTES; 0 if there is no head.
    uint32_t head_bytes;
    /// LAUNCH_TIME, microseconds since 1970; 0 if it is not known.
    uint64_t start_us;
    /// The time of the mark of a clean end, or of an end by a signal; 0 for none.
    uint64_t end_us;
    /// END_SIGNAL; 0 for none.
    int32_t end_signal;
    /// LAUNCH_IS_CHILD
    bool is_child;
    /// LAUNCH_MEMORY_WARNING
    bool had_memory_warning;
    /// The launch had a crash before, which has a file of its own.
    bool follows_crash;
    /// Of EPITAPH_FILE_HAS_CRASH: it is the dump of a process that lived on, no crash.
    bool is_live;
} epitaph_file_head;

/// ANY-TIME. Reads the first `count` bytes of a dump file that is `file_bytes` long. Any bytes are
/// allowed, and nothing beyond them is read.
epitaph_file_head epitaph_file_head_read(const uint8_t *bytes, size_t count, uint64_t file_bytes);

/// What F_GETLK reports about the record lock that every owner takes. Closing another descriptor of
/// the file drops it silently.
typedef enum epitaph_file_lock {
    EPITAPH_FILE_LOCK_FREE,
    EPITAPH_FILE_LOCK_HELD,
    /// The file system has no locks.
    EPITAPH_FILE_LOCK_UNAVAILABLE,
} epitaph_file_lock;

/// What /proc/PID/stat says about the owner's process id in this pid namespace.
typedef enum epitaph_process_state {
    EPITAPH_PROCESS_UNKNOWN,
    EPITAPH_PROCESS_RUNS,
    EPITAPH_PROCESS_HAS_ENDED,
} epitaph_process_state;

/// The part of the file that the owner locks; the byte behind, which no file reaches, is for
/// children that may inherit the file if its owner leaves no crash in it.
static const int64_t epitaph_owners_part_bytes = (int64_t)1 << 62;

typedef struct epitaph_owner_evidence {
    epitaph_file_lock lock;
    bool has_launch_record;
    epitaph_process_identity owner;
    epitaph_process_state state;
    /// Of the process that has the owner's id now, if it runs.
    uint64_t running_start_ticks;
    /// The process that asks. It does not use the file itself: files that it uses are excluded
    /// before.
    epitaph_process_identity asker;
    /// Seconds since the file was last written; negative if the clock was set back.
    int64_t age_seconds;
    bool is_own_bundle;
} epitaph_owner_evidence;

typedef enum epitaph_owner_verdict {
    EPITAPH_OWNER_IS_ALIVE,
    EPITAPH_OWNER_IS_DEAD,
    /// The process that asks was another program when it wrote the file: execve(2) keeps process id
    /// and start time.
    EPITAPH_OWNER_WAS_REPLACED,
} epitaph_owner_verdict;

/// ANY-TIME. The conclusion from the evidence.
epitaph_owner_verdict epitaph_owner_judge(const epitaph_owner_evidence *evidence);

#pragma GCC visibility pop

#endif
