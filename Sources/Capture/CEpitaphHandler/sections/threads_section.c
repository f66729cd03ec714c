// SPDX-License-Identifier: Apache-2.0
//
// THREADS

#include "sections/sections.h"

#include "stacks/stacks.h"
#include "threads/threads.h"

static void write_description(epitaph_writer *writer, const epitaph_thread_slot *slot) {
    epitaph_writer_text(writer, EPITAPH_KEY_THREAD_NAME, slot->name, sizeof slot->name);
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_DATA_ADDRESS, slot->thread_data_address);
    epitaph_running_work_write(writer, slot->thread_data_address);
    if (slot->policy >= 0) {
        epitaph_writer_i32(writer, EPITAPH_KEY_THREAD_SCHEDULING_POLICY, slot->policy);
        epitaph_writer_i32(writer, EPITAPH_KEY_THREAD_PRIORITY, slot->priority);
        epitaph_writer_i32(writer, EPITAPH_KEY_THREAD_NICE, slot->nice);
    }
}

/// Whether the fault was in this part of a stack, and the kernel says that nothing is mapped there:
/// the guard of an overflowed stack may be a part of its mapping (MADV_GUARD_INSTALL, madvise(2)).
static bool is_met_guard(const epitaph_capture *capture, epitaph_range part) {
    if (capture->info == NULL || capture->signal != SIGSEGV) return false;
    uint64_t address = epitaph_pointer_address((uint64_t)capture->info->si_addr);
    return capture->info->si_code == SEGV_MAPERR && address - part.start < part.end - part.start;
}

/// Cuts `stack` to what can be read without waiting. False if it is there, but none of it can.
static bool cut_to_present(epitaph_capture *capture, const epitaph_thread_slot *slot,
                           epitaph_range *stack) {
    epitaph_range whole = *stack;
    *stack = epitaph_stack_present_part(capture, whole, slot->thread_data_address);
    epitaph_range below = {whole.start, stack->start};
    bool lacks_lower = stack->start > whole.start && !is_met_guard(capture, below);
    if (lacks_lower || stack->end < whole.end) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA, EPITAPH_WHY_NOT_RESIDENT, 0,
                           (uint64_t)slot->tid);
    }
    return stack->start < stack->end || whole.start == whole.end;
}

static epitaph_stack_owner own(const epitaph_thread_slot *slot, uint64_t stack_pointer,
                               uint64_t thread_data_address) {
    epitaph_stack_owner owner;
    owner.tid = slot->tid;
    owner.stack_pointer = stack_pointer;
    owner.thread_data_address = thread_data_address;
    return owner;
}

/// The callers of a signal handler that runs on an alternate stack.
static void write_interrupted_stack(epitaph_capture *capture, const epitaph_thread_slot *slot,
                                    uint64_t limit) {
    const epitaph_stack_owner owner =
        own(slot, epitaph_stack_find_interrupted(slot->context), slot->thread_data_address);
    if (owner.stack_pointer == 0) return;
    epitaph_range stack =
        epitaph_stack_find(capture, owner.stack_pointer, slot->thread_data_address, limit);
    stack = epitaph_stack_present_part(capture, stack, slot->thread_data_address);
    epitaph_stack_write_region(capture, stack);
    epitaph_stack_outermost_write(capture, &owner, stack, limit);
}

static void write_crashing_memory(epitaph_capture *capture, const epitaph_thread_slot *slot,
                                  const epitaph_stack_owner *owner) {
    uint64_t limit = epitaph_capture_settings_now.limits.crashing_stack_bytes;
    epitaph_range found =
        epitaph_stack_find(capture, owner->stack_pointer, owner->thread_data_address, limit);
    epitaph_range stack = found;
    if (cut_to_present(capture, slot, &stack)) {
        epitaph_stack_write(capture, stack, (uint64_t)owner->tid);
        found.end = stack.end;
    }
    epitaph_stack_trust(capture, stack, owner->thread_data_address);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS);
    write_interrupted_stack(capture, slot, limit);
    epitaph_crashing_memory_write(capture, slot->context, stack);
    epitaph_stack_outermost_write(capture, owner, found, limit);
    epitaph_writer_end(&capture->writer);
}

static void write_other_memory(epitaph_capture *capture, const epitaph_thread_slot *slot,
                               const epitaph_stack_owner *owner) {
    uint64_t limit = epitaph_capture_settings_now.limits.other_stack_bytes;
    epitaph_range stack =
        epitaph_other_stack_find(capture, owner->stack_pointer, owner->thread_data_address);
    epitaph_stack_trust(capture, stack, owner->thread_data_address);
    if (cut_to_present(capture, slot, &stack))
        epitaph_other_stack_write(capture, &stack, (uint64_t)owner->tid);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS);
    write_interrupted_stack(capture, slot, limit);
    epitaph_other_memory_write(capture, slot->context, stack);
    epitaph_stack_outermost_write(capture, owner, stack, limit);
    epitaph_writer_end(&capture->writer);
}

/// `is_main`: the thread the dump is about, of which more is kept.
static void write_complete(epitaph_capture *capture, const epitaph_thread_slot *slot,
                           bool is_main) {
    epitaph_writer *writer = &capture->writer;
    const ucontext_t *context = slot->context;
    int64_t call = -1;
    bool in_call = slot->tid != capture->tid && epitaph_interrupted_call_number(context, &call);
    epitaph_writer_map_start(writer, EPITAPH_KEY_THREADS);
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_ID, (uint64_t)slot->tid);
    epitaph_writer_u8(writer, EPITAPH_KEY_THREAD_COMPLETENESS, EPITAPH_THREAD_COMPLETE);
    write_description(writer, slot);
    epitaph_writer_u8(writer, EPITAPH_KEY_THREAD_RUN_STATE, in_call ? 'S' : 'R');
    if (in_call) epitaph_writer_i64(writer, EPITAPH_KEY_THREAD_SYSTEM_CALL, call);
    epitaph_thread_registers_write(capture, context, in_call);
    const epitaph_stack_owner owner =
        own(slot, epitaph_registers_stack_pointer(context), slot->thread_data_address);
    epitaph_async_chains_begin(capture);
    if (is_main) {
        write_crashing_memory(capture, slot, &owner);
    } else {
        write_other_memory(capture, slot, &owner);
    }
    epitaph_async_chains_end(capture);
    epitaph_writer_end(writer);
}

static void write_self(epitaph_capture *capture, bool is_main) {
    epitaph_thread_slot slot;
    epitaph_bytes_zero(&slot, sizeof slot);
    slot.tid = capture->tid;
    slot.context = capture->context;
    epitaph_thread_slot_describe_self(&slot);
    write_complete(capture, &slot, is_main);
}

void epitaph_crashing_thread_write(epitaph_capture *capture) {
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREADS);
    write_self(capture, true);
    epitaph_writer_end(&capture->writer);
}

/// The stack of a thread that was not stopped, and the lock it waits for, which names its holder.
static void write_waiting_memory(epitaph_capture *capture, const epitaph_thread_slot *slot,
                                 const epitaph_kernel_wait *wait, uint64_t stack_limit) {
    epitaph_range stack = epitaph_stack_find(capture, wait->stack_pointer, 0, stack_limit);
    const epitaph_stack_owner owner = own(slot, wait->stack_pointer, 0);
    epitaph_stack_write(capture, stack, (uint64_t)slot->tid);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS);
    if (epitaph_kernel_wait_is_for_lock(wait)) {
        epitaph_lock_memory_write(capture, wait->arguments[0], stack);
    }
    epitaph_stack_outermost_write(capture, &owner, stack, stack_limit);
    epitaph_writer_end(&capture->writer);
}

static bool has_stopped(const epitaph_thread_slot *slot) {
    return __atomic_load_n(&slot->answer, __ATOMIC_ACQUIRE) == EPITAPH_THREAD_STOPPED;
}

/// A worker of io_uring(7). The kernel gives it no instruction and no stack pointer, so that it can
/// be told from others; what its other registers hold is chance: copy_thread,
/// arch/x86/kernel/process.c.
static bool is_kernel_worker(const epitaph_thread_slot *slot) {
    uint64_t stack_pointer = 0;
    if (!has_stopped(slot))
        return epitaph_kernel_stack_pointer_read(slot->tid, &stack_pointer) && stack_pointer == 0;
    return epitaph_registers_stack_pointer(slot->context) == 0 &&
           epitaph_registers_instruction_pointer(slot->context) == 0;
}

/// Why the thread is not there as it was stopped.
static epitaph_dump_why find_why(epitaph_capture *capture, const epitaph_thread_slot *slot) {
    const epitaph_kernel_status status = epitaph_kernel_status_read(capture, slot->tid);
    if (slot->answer == EPITAPH_THREAD_GONE || status.has_ended) return EPITAPH_WHY_THREAD_EXITED;
    if (is_kernel_worker(slot)) return EPITAPH_WHY_KERNEL_WORKER;
    if (slot->answer == EPITAPH_THREAD_LEFT_RUNNING) return EPITAPH_WHY_LEFT_RUNNING;
    if (slot->cannot_answer != 0) return (epitaph_dump_why)slot->cannot_answer;
    bool is_blocked = slot->signal != 0 && epitaph_signals_have(status.blocked, slot->signal);
    return is_blocked ? EPITAPH_WHY_SIGNAL_BLOCKED : EPITAPH_WHY_NO_ANSWER;
}

static void write_incomplete(epitaph_capture *capture, const epitaph_thread_slot *slot,
                             uint64_t stack_limit) {
    epitaph_writer *writer = &capture->writer;
    epitaph_dump_why why = find_why(capture, slot);
    epitaph_writer_map_start(writer, EPITAPH_KEY_THREADS);
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_ID, (uint64_t)slot->tid);
    epitaph_writer_u32(writer, EPITAPH_KEY_THREAD_WHY, why);
    epitaph_kernel_name_write(capture, slot->tid);
    epitaph_kernel_wait wait;
    // For a zombie, too, the kernel reports zeros.
    bool has_code = why != EPITAPH_WHY_THREAD_EXITED && why != EPITAPH_WHY_KERNEL_WORKER;
    bool has_pointers = has_code && epitaph_kernel_wait_write(capture, slot->tid, &wait);
    epitaph_writer_u8(writer, EPITAPH_KEY_THREAD_COMPLETENESS,
                      has_pointers ? EPITAPH_THREAD_PARTIAL : EPITAPH_THREAD_MISSING);
    if (has_pointers) write_waiting_memory(capture, slot, &wait, stack_limit);
    epitaph_writer_end(writer);
    // Not damage: left running on purpose, or nothing to tell. The thread's entry says enough.
    if (why == EPITAPH_WHY_LEFT_RUNNING || !has_code) return;
    epitaph_damage_add(capture, EPITAPH_KEY_THREADS, why, 0, (uint64_t)slot->tid);
}

static void write_other(epitaph_capture *capture, const epitaph_thread_slot *slot, bool is_main) {
    const epitaph_capture_limits *limits = &epitaph_capture_settings_now.limits;
    if (has_stopped(slot) && !is_kernel_worker(slot)) {
        write_complete(capture, slot, is_main);
    } else {
        write_incomplete(capture, slot,
                         is_main ? limits->crashing_stack_bytes : limits->other_stack_bytes);
    }
}

int32_t epitaph_other_subject(const epitaph_capture *capture) {
    const epitaph_report_request *request = capture->request;
    if (request == NULL || request->subject_tid == capture->tid) return 0;
    return request->subject_tid;
}

void epitaph_subject_thread_write(epitaph_capture *capture) {
    int32_t subject = epitaph_other_subject(capture);
    if (subject == 0) {
        epitaph_crashing_thread_write(capture);
        return;
    }
    // NULL if it has ended since the request.
    const epitaph_thread_slot *slot = epitaph_thread_slots_find(capture->threads, subject);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREADS);
    if (slot != NULL) write_other(capture, slot, true);
    epitaph_writer_end(&capture->writer);
}

/// Finds all stacks before any memory is collected, to keep them out of it.
static void note_stacks(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    for (uint32_t i = 0; i < slots->count; i++) {
        const epitaph_thread_slot *slot = &slots->entries[i];
        if (!has_stopped(slot)) continue;
        epitaph_other_stack_find(capture, epitaph_registers_stack_pointer(slot->context),
                                 slot->thread_data_address);
    }
}

/// One entry for all: the threads' own entries say which were not stopped. Where ptrace(2) was not
/// asked for, its failure is none.
static void add_trace_damage(epitaph_capture *capture) {
    const epitaph_thread_slots *slots = capture->threads;
    const epitaph_thread_slot *failed = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->count; i++) {
        if (has_stopped(&slots->entries[i]) || slots->entries[i].trace_error == 0) continue;
        failed = &slots->entries[i];
        count++;
    }
    if (count == 0 || !epitaph_capture_settings_now.traces_threads) return;
    epitaph_damage_add(capture, EPITAPH_KEY_THREAD_STATE, EPITAPH_WHY_SYSTEM_CALL_FAILED,
                       failed->trace_error, count == 1 ? (uint64_t)failed->tid : 0);
}

void epitaph_other_threads_write(epitaph_capture *capture) {
    epitaph_thread_slots *slots = capture->threads;
    note_stacks(capture);
    if (slots->error != 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_THREADS, EPITAPH_WHY_NOT_AVAILABLE, slots->error,
                           0);
    }
    if (slots->has_more) {
        epitaph_damage_add(capture, EPITAPH_KEY_THREADS, EPITAPH_WHY_TOO_MANY, 0, slots->count);
    }
    int32_t subject = epitaph_other_subject(capture);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_THREADS);
    if (subject != 0 && !capture->request->has_one_thread) write_self(capture, false);
    for (uint32_t i = 0; i < slots->count; i++) {
        if (slots->entries[i].tid != subject) write_other(capture, &slots->entries[i], false);
    }
    epitaph_writer_end(&capture->writer);
    epitaph_writer_flush(&capture->writer);
    add_trace_damage(capture);
    for (uint32_t i = 0; i < capture->writer.cut_count && capture->mappings.count > 0; i++) {
        epitaph_damage_add(capture, EPITAPH_KEY_STACK_REGION_DATA, EPITAPH_WHY_UNREADABLE, 0,
                           capture->writer.cut_subjects[i]);
    }
}
