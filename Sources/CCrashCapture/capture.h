// SPDX-License-Identifier: Apache-2.0
//
// The state of one capture and the sections it is made of. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_INTERNAL_H
#define EPITAPH_CAPTURE_INTERNAL_H

#include "epitaph_capture.h"
#include "jump.h"
#include "mappings.h"
#include "private_texts.h"
#include "regions.h"
#include "registers.h"
#include "thread_ptrace.h"
#include "thread_slots.h"
#include "writer.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_DAMAGE_LIMIT = 256,
    EPITAPH_SCRATCH_SIZE = 65536,
    EPITAPH_STACK_WORD_COUNT = 4096,
};

typedef struct epitaph_damage {
    epitaph_dump_key section;
    epitaph_dump_why why;
    int32_t error;
    uint64_t subject;
    /// How much was left out; 0 where that is not known.
    uint64_t bytes;
} epitaph_damage;

enum {
    EPITAPH_CHAIN_CUT_LIMIT = 8,
    EPITAPH_CONTEXT_TABLE_SIZE = 1 << 13,
    EPITAPH_CONTEXT_TABLE_LIMIT = EPITAPH_CONTEXT_TABLE_SIZE / 4 * 3,
};

/// The callers of Swift tasks, async_contexts.h: of the present thread, and of all so far.
typedef struct epitaph_async_chains {
    uint64_t bytes_left;
    uint32_t length;
    /// How many more words may be taken for contexts.
    uint32_t looks_left;
    /// Where chains end that are not whole.
    uint32_t cut_count;
    uint64_t cuts[EPITAPH_CHAIN_CUT_LIMIT];
    /// The addresses of the contexts of all threads, found by hash; 0 is free.
    uint32_t seen_count;
    uint64_t seen[EPITAPH_CONTEXT_TABLE_SIZE];
} epitaph_async_chains;

enum { EPITAPH_MODULE_LIMIT = 4096 };

/// A module that was written.
typedef struct epitaph_module {
    uint64_t start;
    uint64_t end;
    /// Where the loader keeps its path; 0 for the executable.
    uint64_t path_address;
    /// Its file is gone, or another one is in its place.
    bool has_lost_file;
} epitaph_module;

/// Lives in the workspace: too big for an alternate stack.
typedef struct epitaph_capture {
    epitaph_writer writer;
    epitaph_dump_file file;
    int signal;
    siginfo_t *info;
    ucontext_t *context;
    int32_t pid;
    int32_t tid;
    uint64_t started_ns;
    /// The armed file is this crash's already, and has its first record.
    bool has_armed_file;
    /// Nothing but loads and stores is allowed: handler.c.
    bool is_silent;
    /// Where in the head of its file a capture may store what the file does not take.
    uint64_t store_offset;
    /// How long the other threads of a process that lives on were stopped.
    uint64_t pause_ns;
    /// A process that lives on, and the file of its dump.
    bool is_live;
    /// The thread that is about to capture it; 0 once it does.
    int32_t live_tid;
    epitaph_dump_file *live_file;
    uint64_t stack_bytes_left;
    /// Where a section that is broken off goes on, and why it was; see section.h.
    epitaph_jump recovery;
    /// Whether a section has begun, and whether the handler faulted before and starts again.
    bool has_begun;
    bool is_restarted;
    bool can_break_off;
    bool is_out_of_time;
    uint32_t break_count;
    epitaph_dump_why broken_why;
    uint64_t broken_subject;
    /// The signals the capturing thread blocks.
    uint64_t signal_mask;
    /// The watchdog's timer; -1 when there is none.
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
    /// What the program registered, as far as it will be in the dump.
    uint32_t registered_count;
    epitaph_range registered[EPITAPH_REGISTERED_MEMORY_LIMIT];
    /// Words of the stack in hand.
    uint64_t stack_words[EPITAPH_STACK_WORD_COUNT];
    epitaph_thread_slots threads;
    epitaph_tracer tracer;
    uint8_t scratch[EPITAPH_SCRATCH_SIZE];
} epitaph_capture;

/// The workspace; NULL before the start.
extern epitaph_capture *epitaph_capture_now;

/// Remembers that part of `section` is missing. `subject` is a thread id, an address or a count, as
/// fits the section.
void epitaph_damage_add(epitaph_capture *capture, epitaph_dump_key section, epitaph_dump_why why,
                        int32_t error, uint64_t subject);

/// The same for `bytes` bytes that were left out.
void epitaph_damage_add_bytes(epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes);

/// Captures a crash, whose signal, info and context are set, and seals the dump.
void epitaph_capture_run(epitaph_capture *capture);

/// The same without a system call, into the head of the armed file alone, which stays as it is.
void epitaph_capture_run_silently(epitaph_capture *capture);

/// Captures a process that lives on, for the thread whose `context` is set, into `capture->file`,
/// and seals that. The other threads are released as early as can be.
void epitaph_capture_run_live(epitaph_capture *capture);

/// Takes over the limits that were set last.
void epitaph_limits_take(void);

/// Arms a new dump file, for a process that lives on.
void epitaph_capture_rearm(void);

// The sections. Each begins and ends its own containers and leaves damage marks for what it cannot
// get.
void epitaph_launch_record_write(epitaph_writer *writer, const epitaph_dump_file *file);
void epitaph_exception_write(epitaph_capture *capture);
void epitaph_process_info_write(epitaph_capture *capture);
void epitaph_system_info_write(epitaph_capture *capture);
void epitaph_crashing_thread_write(epitaph_capture *capture);
/// The executable's module, from facts found at quiet time; the others follow in
/// epitaph_modules_write.
void epitaph_executable_write(epitaph_capture *capture);
void epitaph_modules_write(epitaph_capture *capture);
/// What was at the paths of the modules that were written.
void epitaph_module_files_write(epitaph_capture *capture);
/// How to unwind through those that have lost their files.
void epitaph_unwind_tables_write(epitaph_capture *capture);
void epitaph_messages_write(epitaph_capture *capture);
void epitaph_annotations_write(epitaph_capture *capture);
void epitaph_breadcrumbs_write(epitaph_capture *capture);
void epitaph_displaced_handlers_write(epitaph_capture *capture);
void epitaph_process_files_write(epitaph_capture *capture);
void epitaph_machine_files_write(epitaph_capture *capture);
void epitaph_other_threads_write(epitaph_capture *capture);
void epitaph_registered_memory_write(epitaph_capture *capture);
void epitaph_damage_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
