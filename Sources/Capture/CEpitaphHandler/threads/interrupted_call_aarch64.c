// SPDX-License-Identifier: Apache-2.0
//
// The system call a thread was in, on aarch64.

#if defined(__aarch64__)
#include "threads/threads.h"

#include <errno.h>

enum { SYSTEM_CALL_REGISTER = 8 };

// `svc #0` is d4000001. A call that will be restarted has pc back at it; one that was interrupted
// has pc behind it and -EINTR in x0. The number stays in x8.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number) {
    const uint32_t svc = 0xd4000001;
    uint32_t code[2];
    if (!epitaph_memory_read_exactly(code, context->uc_mcontext.pc - 4, sizeof code)) return false;
    *number = (int64_t)context->uc_mcontext.regs[SYSTEM_CALL_REGISTER];
    return code[1] == svc || (code[0] == svc && (int64_t)context->uc_mcontext.regs[0] == -EINTR);
}

// The kernel has overwritten the first argument with -EINTR, and it is saved nowhere else.
void epitaph_interrupted_call_restart(ucontext_t *context) {
    (void)context;
}

#endif
