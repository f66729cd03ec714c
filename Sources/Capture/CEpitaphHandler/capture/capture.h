// SPDX-License-Identifier: Apache-2.0
//
// The state of one capture, what it could not capture, which thread captures, and sections that can
// be broken off. CRASH-TIME.

#ifndef EPITAPH_CAPTURE_CAPTURE_H
#define EPITAPH_CAPTURE_CAPTURE_H

#include "epitaph_report_request.h"
#include "file/writer.h"
#include "memory/memory.h"
#include "processor/registers.h"

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
    /// Where to continue after a section is broken off, and why it was.
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

// Which thread captures: one at a time. ANY-TIME.

typedef enum epitaph_owner_claim_result {
    EPITAPH_OWNER_IS_NEW,
    /// The calling thread is capturing.
    EPITAPH_OWNER_IS_SELF,
    EPITAPH_OWNER_IS_OTHER,
} epitaph_owner_claim_result;

/// Becomes the owner if there is none. Waits up to two seconds for a capture of another process
/// that may share this one's memory.
epitaph_owner_claim_result epitaph_owner_try_claim(void);

/// The same for a live dump, waiting up to `timeout_ns` for another capture. A waiting crash goes
/// first. False if that takes too long, or if the calling thread is the owner.
bool epitaph_owner_claim(uint64_t timeout_ns);

/// The same without a system call, for the process that armed the file; false if there is an owner.
bool epitaph_owner_claim_silently(void);

/// Announces a crash that has to wait: a live dump then ends early.
void epitaph_owner_add_waiter(void);
void epitaph_owner_remove_waiter(void);
bool epitaph_owner_is_awaited(void);

/// The owner records on which stack it captures: code interrupted there is the capture itself. No
/// system call is needed to find that out.
void epitaph_owner_note_stack(const ucontext_t *context, const void *frame);
/// Whether `context` is that of an interrupted capture.
bool epitaph_owner_is_interrupted(const ucontext_t *context);

bool epitaph_owner_is_set(void);
void epitaph_owner_release(void);

// Sections of a dump that can be broken off: by a fault of the handler itself, or by the watchdog.

enum epitaph_section_flags {
    /// Not flushed at its end: it is written together with the next one.
    EPITAPH_SECTION_HELD_BACK = 1,
    /// Written even if the time for the capture is over.
    EPITAPH_SECTION_LAST = 2,
    /// Attempted a second time from its beginning if the handler faulted in it.
    EPITAPH_SECTION_ESSENTIAL = 4,
    /// Never broken off by the watchdog, because it must complete.
    EPITAPH_SECTION_UNBREAKABLE = 8,
};

typedef struct epitaph_section {
    /// The key for the damage entry if the section is broken off.
    epitaph_dump_key key;
    void (*write)(epitaph_capture *capture);
    /// epitaph_section_flags
    uint32_t flags;
} epitaph_section;

/// Writes the sections in order. Each ends with a flush unless it is held back. One that is broken
/// off is cut back to its last complete command and recorded as damage, and the next begins.
void epitaph_sections_write(epitaph_capture *capture, const epitaph_section *sections,
                            size_t count);

/// Breaks off the section that is being written, without returning. Returns if there is none.
void epitaph_section_break_off(epitaph_capture *capture, epitaph_dump_why why, uint64_t subject);

// The deadline of a capture: a timer that interrupts the capturing thread.

/// Starts the timer, which fires after `timeout_ns`. Its signal is the stop signal, whose handler
/// must already be installed.
void epitaph_watchdog_start(epitaph_capture *capture, uint64_t timeout_ns);
void epitaph_watchdog_stop(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
