// SPDX-License-Identifier: Apache-2.0
//
// Whose a `.locked` file is, and whether that process still needs it. The rule is explained in
// docs/decisions/claiming-dumps.md; `OwnerEvidence` of DumpConversion is the same in Swift, and a
// test puts one table of cases before both.

#ifndef EPITAPH_FILE_OWNER_H
#define EPITAPH_FILE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What follows the launch record of a dump file.
typedef enum epitaph_file_contents {
    /// There is no launch record, or it is not whole.
    EPITAPH_FILE_HAS_NOTHING,
    /// Nothing but zeros, which handlers were displaced, or the mark of an end by a signal.
    EPITAPH_FILE_HAS_LAUNCH,
    /// The mark of a clean end.
    EPITAPH_FILE_HAS_CLEAN_END,
    /// Anything else: the handler ran.
    EPITAPH_FILE_HAS_CRASH,
} epitaph_file_contents;

/// A process, as its launch record names it: a number alone is given out again, and means another
/// process in another pid namespace. 0 stands for what is not known, zeros for the boot's id.
typedef struct epitaph_process_identity {
    int32_t pid;
    uint64_t start_ticks;
    uint64_t pid_namespace;
    uint8_t boot_id[16];
} epitaph_process_identity;

/// The beginning of a dump file, read.
typedef struct epitaph_file_head {
    epitaph_file_contents contents;
    epitaph_process_identity owner;
    /// HEAD_BYTES; 0 where there is no head.
    uint32_t head_bytes;
} epitaph_file_head;

/// ANY-TIME. Reads the first `count` bytes of a dump file that is `file_bytes` long. Whatever they
/// are, nothing beyond them is looked at.
epitaph_file_head epitaph_file_head_read(const uint8_t *bytes, size_t count, uint64_t file_bytes);

/// What F_GETLK says about the record lock every owner takes. Closing another descriptor of the
/// file loses it without a word.
typedef enum epitaph_file_lock {
    EPITAPH_FILE_LOCK_FREE,
    EPITAPH_FILE_LOCK_HELD,
    /// The file system has none.
    EPITAPH_FILE_LOCK_UNAVAILABLE,
} epitaph_file_lock;

/// What /proc/PID/stat says of the owner's number in this pid namespace.
typedef enum epitaph_process_state {
    EPITAPH_PROCESS_UNKNOWN,
    EPITAPH_PROCESS_RUNS,
    EPITAPH_PROCESS_HAS_ENDED,
} epitaph_process_state;

/// What the owner locks of the file; the byte behind, which no file reaches, is for children that
/// may inherit the file if its owner leaves no crash in it.
static const int64_t epitaph_owners_part_bytes = (int64_t)1 << 62;

typedef struct epitaph_owner_evidence {
    epitaph_file_lock lock;
    bool has_launch_record;
    epitaph_process_identity owner;
    epitaph_process_state state;
    /// Of the process that has the owner's number now, if it runs.
    uint64_t running_start_ticks;
    /// The process that asks. It does not use the file itself: files that it uses are left out
    /// before.
    epitaph_process_identity asker;
    /// Since the file was last written; negative when the clock was set back.
    int64_t age_seconds;
    bool is_own_bundle;
} epitaph_owner_evidence;

typedef enum epitaph_owner_verdict {
    EPITAPH_OWNER_IS_ALIVE,
    EPITAPH_OWNER_IS_DEAD,
    /// The process that asks was another program when it wrote the file: execve(2) keeps number and
    /// start time.
    EPITAPH_OWNER_WAS_REPLACED,
} epitaph_owner_verdict;

/// ANY-TIME. The verdict on the evidence.
epitaph_owner_verdict epitaph_owner_judge(const epitaph_owner_evidence *evidence);

#pragma GCC visibility pop

#endif
