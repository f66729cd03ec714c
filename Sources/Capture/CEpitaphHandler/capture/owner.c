// SPDX-License-Identifier: Apache-2.0
//
// One word identifies the process and the thread that captures.

#include "capture/capture.h"

#include "epitaph_handler.h"
#include "prepared/emergency_stack.h"

#include <errno.h>

static const uint64_t retry_pause_ns = 1000000;
static const uint64_t other_process_timeout_ns = 2ull * 1000000000;

/// Process and thread id; 0: none. A child of fork(2) or vfork(2) may find its parent's value.
static uint64_t owner;

static uint32_t waiter_count;

/// Where the owner's handler runs; zeros without an owner.
static epitaph_range stack;

/// The capture is below a point just above the handler's frame; the interrupted frame is higher.
enum { ORDINARY_STACK_REACH = 1 << 20, SILENT_THREAD = -1 };

static uint64_t self(void) {
    return (uint64_t)(uint32_t)epitaph_sys_getpid() << 32 | (uint32_t)epitaph_sys_gettid();
}

/// Waits for a capture of another process. A vfork(2) parent and child share the word and all
/// capture memory: the other process releases it, or has died, when its report is finished. A value
/// copied by fork(2) never changes and is not worth a longer wait.
static void outlast(uint64_t present) {
    int32_t pid = (int32_t)(present >> 32);
    epitaph_deadline deadline = epitaph_deadline_after(other_process_timeout_ns);
    while (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) == present &&
           epitaph_sys_tgkill(pid, pid, 0) != -ESRCH && epitaph_deadline_left(&deadline) > 0) {
        epitaph_deadline_pause(&deadline, retry_pause_ns);
    }
}

epitaph_owner_claim_result epitaph_owner_try_claim(void) {
    uint64_t me = self();
    for (;;) {
        uint64_t present = 0;
        if (__atomic_compare_exchange_n(&owner, &present, me, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return EPITAPH_OWNER_IS_NEW;
        }
        if (present == me) return EPITAPH_OWNER_IS_SELF;
        if (present >> 32 == me >> 32) return EPITAPH_OWNER_IS_OTHER;
        outlast(present);
        __atomic_compare_exchange_n(&owner, &present, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
}

bool epitaph_owner_claim(uint64_t timeout_ns) {
    epitaph_deadline deadline = epitaph_deadline_after(timeout_ns);
    for (;;) {
        if (!epitaph_owner_is_awaited()) {
            epitaph_owner_claim_result result = epitaph_owner_try_claim();
            if (result != EPITAPH_OWNER_IS_OTHER) return result == EPITAPH_OWNER_IS_NEW;
        }
        if (epitaph_deadline_left(&deadline) == 0) return false;
        epitaph_deadline_pause(&deadline, retry_pause_ns);
    }
}

bool epitaph_owner_claim_silently(void) {
    uint64_t nobody = 0;
    int32_t pid = epitaph_capture_settings_now.dump_file.owner_pid;
    uint64_t me = (uint64_t)(uint32_t)pid << 32 | (uint32_t)SILENT_THREAD;
    return __atomic_compare_exchange_n(&owner, &nobody, me, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void epitaph_owner_add_waiter(void) {
    __atomic_fetch_add(&waiter_count, 1, __ATOMIC_ACQ_REL);
}

void epitaph_owner_remove_waiter(void) {
    __atomic_fetch_sub(&waiter_count, 1, __ATOMIC_ACQ_REL);
}

bool epitaph_owner_is_awaited(void) {
    return __atomic_load_n(&waiter_count, __ATOMIC_ACQUIRE) != 0;
}

void epitaph_owner_note_stack(const ucontext_t *context, const void *frame) {
    uint64_t place = (uint64_t)frame;
    epitaph_range alternate = {(uint64_t)context->uc_stack.ss_sp,
                               (uint64_t)context->uc_stack.ss_sp + context->uc_stack.ss_size};
    epitaph_range emergency = epitaph_emergency_stack_range();
    epitaph_range found = {place - ORDINARY_STACK_REACH, place};
    if (place >= alternate.start && place < alternate.end) found = alternate;
    if (place >= emergency.start && place < emergency.end) found = emergency;
    stack.end = found.end;
    __atomic_store_n(&stack.start, found.start, __ATOMIC_RELEASE);
}

bool epitaph_owner_is_interrupted(const ucontext_t *context) {
    uint64_t start = __atomic_load_n(&stack.start, __ATOMIC_ACQUIRE);
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    return start != 0 && stack_pointer >= start && stack_pointer < stack.end;
}

bool epitaph_owner_is_set(void) {
    return __atomic_load_n(&owner, __ATOMIC_ACQUIRE) != 0;
}

bool epitaph_capture_is_going_on(void) {
    return epitaph_owner_is_set();
}

void epitaph_owner_release(void) {
    __atomic_store_n(&stack.start, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&owner, 0, __ATOMIC_RELEASE);
}
