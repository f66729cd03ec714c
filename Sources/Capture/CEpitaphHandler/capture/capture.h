// SPDX-License-Identifier: Apache-2.0
//
// The state of one capture, and what it could not capture. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_CAPTURE_H
#define EPITAPH_CAPTURE_CAPTURE_H

#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"
#include "epitaph_report_request.h"
#include "epitaph_settings.h"
#include "file/writer.h"
#include "memory/blanking.h"
#include "memory/mappings.h"
#include "processor/jump.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

// What could not be captured, and why.

enum { EPITAPH_DAMAGE_LIMIT = 256 };

typedef struct epitaph_damage {
    epitaph_dump_key section;
    epitaph_dump_why why;
    int32_t error;
    uint64_t subject;
    /// How many bytes were left out; 0 if that is not known.
    uint64_t bytes;
} epitaph_damage;

struct epitaph_capture;

/// Records that part of `section` is missing. `subject` is a thread id, an address or a count,
/// depending on the section.
void epitaph_damage_add(struct epitaph_capture *capture, epitaph_dump_key section,
                        epitaph_dump_why why, int32_t error, uint64_t subject);

/// The same for `bytes` bytes that were left out.
void epitaph_damage_add_bytes(struct epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes);

/// Writes the DAMAGE section; nothing if everything could be captured.
void epitaph_damage_write(struct epitaph_capture *capture);

// The state of one capture.

enum { EPITAPH_SCRATCH_SIZE = 65536 };

// What rooms below keep of a capture; it lies beside the capture in the workspace.
struct epitaph_modules;
struct epitaph_private_texts;
struct epitaph_regions;
struct epitaph_stacks;
struct epitaph_thread_slots;
struct epitaph_tracer;

/// In the workspace, because it is too big for an alternate stack.
typedef struct epitaph_capture {
    epitaph_writer writer;
    epitaph_dump_file file;
    int signal;
    siginfo_t *info;
    ucontext_t *context;
    int32_t pid;
    int32_t tid;
    uint64_t started_ns;
    /// The armed file already belongs to this crash, and contains its first record.
    bool has_armed_file;
    /// Only loads and stores are allowed: handler.c.
    bool is_silent;
    /// The offset in the head of its file where a capture may store what cannot be written to the
    /// file.
    uint64_t store_offset;
    /// For how long the other threads were stopped in a live dump.
    uint64_t pause_ns;
    /// A live dump, and its file.
    bool is_live;
    /// The thread that is about to take the live dump; 0 once it does.
    int32_t live_tid;
    epitaph_dump_file *live_file;
    /// What the dump of a process that lives on is of; NULL for a crash.
    const epitaph_report_request *request;
    /// Where to continue after a section is broken off, and why it was; see section.h.
    epitaph_jump recovery;
    /// Whether a section has begun, and whether the handler faulted before that and is starting
    /// again.
    bool has_begun;
    bool is_restarted;
    bool can_break_off;
    bool is_out_of_time;
    uint32_t break_count;
    epitaph_dump_why broken_why;
    uint64_t broken_subject;
    /// The signals the capturing thread blocks.
    uint64_t signal_mask;
    /// The watchdog's timer; -1 if there is none.
    int32_t watchdog;
    uint32_t damage_count;
    epitaph_damage damage[EPITAPH_DAMAGE_LIMIT];
    epitaph_mappings mappings;
    epitaph_blanking blanking;
    /// All other threads have stopped or ended: while they are held, nothing in this process
    /// changes the mappings.
    bool threads_stand_still;
    struct epitaph_modules *modules;
    struct epitaph_private_texts *private_texts;
    struct epitaph_regions *regions;
    struct epitaph_stacks *stacks;
    struct epitaph_thread_slots *threads;
    struct epitaph_tracer *tracer;
    uint8_t scratch[EPITAPH_SCRATCH_SIZE];
} epitaph_capture;

/// The capture of this process, in the workspace; NULL before the start.
extern epitaph_capture *epitaph_capture_now;

#pragma GCC visibility pop

#endif
