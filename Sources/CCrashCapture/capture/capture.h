// SPDX-License-Identifier: Apache-2.0
//
// The state of one capture. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_CAPTURE_H
#define EPITAPH_CAPTURE_CAPTURE_H

#include "capture/async_chains.h"
#include "capture/damage.h"
#include "capture/kept_regions.h"
#include "capture/late_texts.h"
#include "capture/module_list.h"
#include "capture/thread_slots.h"
#include "capture/traced_threads.h"
#include "epitaph_dump_file_state.h"
#include "epitaph_dump_format.h"
#include "epitaph_report_request.h"
#include "epitaph_settings.h"
#include "file/writer.h"
#include "memory/blanking.h"
#include "memory/mappings.h"
#include "processor/jump.h"
#include "system/range.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_SCRATCH_SIZE = 65536,
    EPITAPH_STACK_WORD_COUNT = 4096,
};

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
    uint64_t stack_bytes_left;
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
    epitaph_regions regions;
    epitaph_async_chains chains;
    epitaph_blanking blanking;
    epitaph_private_texts private_texts;
    /// The executable first, if it could be read; the vdso is not among them.
    uint32_t module_count;
    epitaph_module modules[EPITAPH_MODULE_LIMIT];
    /// The parts of registered memory that will be in the dump.
    uint32_t registered_count;
    epitaph_range registered[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// Words of the stack that is being examined.
    uint64_t stack_words[EPITAPH_STACK_WORD_COUNT];
    epitaph_thread_slots threads;
    epitaph_tracer tracer;
    uint8_t scratch[EPITAPH_SCRATCH_SIZE];
} epitaph_capture;

#pragma GCC visibility pop

#endif
