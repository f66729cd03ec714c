// SPDX-License-Identifier: Apache-2.0
//
// A capture's state, damage and owner thread, and sections that can be broken off. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_CAPTURE_H
#define EPITAPH_CAPTURE_CAPTURE_H

#include "epitaph_report_request.h"
#include "file/writer.h"
#include "memory/memory.h"
#include "processor/registers.h"

#pragma GCC visibility push(hidden)

enum { EPITAPH_DAMAGE_LIMIT = 256 };

typedef struct epitaph_damage {
    epitaph_dump_key section;
    epitaph_dump_why why;
    int32_t error;
    uint64_t subject;
    uint64_t bytes;
} epitaph_damage;

struct epitaph_capture;

/// Records that part of `section` is missing. `subject` is a thread id, an address or a count.
void epitaph_damage_add(struct epitaph_capture *capture, epitaph_dump_key section,
                        epitaph_dump_why why, int32_t error, uint64_t subject);

void epitaph_damage_add_bytes(struct epitaph_capture *capture, epitaph_dump_key section,
                              epitaph_dump_why why, uint64_t subject, uint64_t bytes);

void epitaph_damage_write(struct epitaph_capture *capture);

enum { EPITAPH_SCRATCH_SIZE = 65536 };

// State of other folders, next to the capture in the workspace.
struct epitaph_modules;
struct epitaph_private_texts;
struct epitaph_regions;
struct epitaph_stacks;
struct epitaph_thread_slots;
struct epitaph_tracer;

/// Too big for an alternate stack.
typedef struct epitaph_capture {
    epitaph_writer writer;
    epitaph_dump_file file;
    int signal;
    siginfo_t *info;
    ucontext_t *context;
    int32_t pid;
    int32_t tid;
    uint64_t started_ns;
    /// The armed file already belongs to this crash and has its first record.
    bool has_armed_file;
    /// A handler of the program gets the signal next, so that the file is not sealed yet.
    bool may_survive;
    /// Only loads and stores are allowed: handler.c.
    bool is_silent;
    /// Offset in the file's head for stores instead of writes.
    uint64_t store_offset;
    /// The watchdog keeps the program's signals like its own.
    bool keeps_signals;
    /// How long a live dump stopped the other threads.
    uint64_t pause_ns;
    bool is_live;
    /// The thread about to take the live dump; 0 once it does.
    int32_t live_tid;
    epitaph_dump_file *live_file;
    /// The request of a live dump; NULL for a crash.
    const epitaph_report_request *request;
    epitaph_jump recovery;
    /// A section has begun; or the handler faulted before that and starts over.
    bool has_begun;
    bool is_restarted;
    bool can_break_off;
    bool is_out_of_time;
    uint32_t break_count;
    /// Faults of the handler outside of any section.
    uint32_t nested_faults;
    epitaph_dump_why broken_why;
    uint64_t broken_subject;
    uint64_t signal_mask;
    /// -1: none.
    int32_t watchdog;
    uint32_t damage_count;
    epitaph_damage damage[EPITAPH_DAMAGE_LIMIT];
    epitaph_blanking blanking;
    /// All other threads are held or have ended: nothing changes the mappings.
    bool threads_stand_still;
    struct epitaph_modules *modules;
    struct epitaph_private_texts *private_texts;
    struct epitaph_regions *regions;
    struct epitaph_stacks *stacks;
    struct epitaph_thread_slots *threads;
    struct epitaph_tracer *tracer;
    uint8_t scratch[EPITAPH_SCRATCH_SIZE];
    epitaph_mappings mappings;
} epitaph_capture;

/// NULL before the start. All zeros at first, also in a forked child, except for the pointers,
/// which `find_parts` fills in, `tracer` as the last.
epitaph_capture *epitaph_capture_now(void);
void epitaph_capture_set(epitaph_capture *capture, void (*find_parts)(epitaph_capture *capture));

// The owner: the one thread that captures. ANY-TIME.

typedef enum epitaph_owner_claim_result {
    EPITAPH_OWNER_IS_NEW,
    EPITAPH_OWNER_IS_SELF,
    EPITAPH_OWNER_IS_OTHER,
} epitaph_owner_claim_result;

/// Becomes the owner if there is none. Waits up to two seconds for a process sharing our memory.
epitaph_owner_claim_result epitaph_owner_try_claim(void);

/// For a live dump: waits for other captures and crashes. False on timeout or if it is the owner.
bool epitaph_owner_claim(uint64_t timeout_ns);

/// Without a system call, for the process that armed the file; false if there is an owner.
bool epitaph_owner_claim_silently(void);

/// Announces a waiting crash, which ends a live dump early.
void epitaph_owner_add_waiter(void);
void epitaph_owner_remove_waiter(void);
bool epitaph_owner_is_awaited(void);

/// Notes the stack the owner captures on, which tells without a system call what is interrupted.
void epitaph_owner_note_stack(const ucontext_t *context, const void *frame);
bool epitaph_owner_is_interrupted(const ucontext_t *context);

bool epitaph_owner_is_set(void);
void epitaph_owner_release(void);

// Threads in the crash handler that do not capture: not yet, or because another one does.

/// Lies on the handler's stack.
typedef struct epitaph_arrival_mark {
    volatile uint64_t token;
    uint64_t *place;
    int signal;
} epitaph_arrival_mark;

/// Notes the calling handler of `signal`. If too many are noted, nothing happens.
void epitaph_arrival_note(epitaph_arrival_mark *mark, int signal);
/// It captures now, or returns; also if it was not noted.
void epitaph_arrival_forget(epitaph_arrival_mark *mark);
/// The signal of such a handler that `context` is of; 0 if it is of none.
int epitaph_arrival_interrupted(const ucontext_t *context);

// Sections that can be broken off, by a fault of the handler or by the watchdog.

enum epitaph_section_flags {
    /// Not flushed at its end but written with the next one.
    EPITAPH_SECTION_HELD_BACK = 1,
    /// Written even after the deadline.
    EPITAPH_SECTION_LAST = 2,
    /// Retried once if the handler faulted in it.
    EPITAPH_SECTION_ESSENTIAL = 4,
    EPITAPH_SECTION_UNBREAKABLE = 8,
};

typedef struct epitaph_section {
    epitaph_dump_key key;
    void (*write)(epitaph_capture *capture);
    uint32_t flags;
} epitaph_section;

/// Writes the sections in order, each with a flush unless held back. One broken off is cut back to
/// its last complete command and recorded as damage.
void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count);

/// Breaks off the current section without returning; returns if there is none.
void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject);

// The watchdog: a timer that interrupts the capturing thread.

/// The timer sends the stop signal, whose handler must already be installed, after `timeout_ns`.
void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns);
void epitaph_watchdog_stop(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
