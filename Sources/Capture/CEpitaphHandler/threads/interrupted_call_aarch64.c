// SPDX-License-Identifier: Apache-2.0
//
// The system call a thread was in, on aarch64.

#if defined(__aarch64__)
#include "threads/threads.h"

#include <errno.h>

enum { SYSTEM_CALL_REGISTER = 8 };

// `svc #0` is d4000001. For a call that will be restarted, pc points at it; for an interrupted one,
// pc is behind it and x0 is -EINTR. The number stays in x8.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number) {
    const uint32_t svc = 0xd4000001;
    uint32_t code[2];
    if (!epitaph_memory_read_exactly(code, context->uc_mcontext.pc - 4, sizeof code)) return false;
    *number = (int64_t)context->uc_mcontext.regs[SYSTEM_CALL_REGISTER];
    return code[1] == svc || (code[0] == svc && (int64_t)context->uc_mcontext.regs[0] == -EINTR);
}

// Not possible: the kernel has overwritten the first argument with -EINTR and saved it nowhere.
void epitaph_interrupted_call_restart(ucontext_t *context) {
    (void)context;
}

#endif
