// SPDX-License-Identifier: Apache-2.0
//
// The system call a thread was in, on x86_64.

#if defined(__x86_64__)
#include "threads/threads.h"

#include <asm/unistd.h>
#include <errno.h>

// `syscall` is 0f 05. For a call that will be restarted, rip points at it and rax has its number
// again; for an interrupted one, rip is behind it, rax is -EINTR, and the number is lost.
bool epitaph_interrupted_call_number(const ucontext_t *context, int64_t *number) {
    uint8_t code[4];
    uint64_t address = epitaph_registers_instruction_pointer(context);
    if (!epitaph_memory_read_exactly(code, address - 2, sizeof code)) return false;
    int64_t rax = context->uc_mcontext.gregs[REG_RAX];
    if (code[2] == 0x0f && code[3] == 0x05) {
        *number = rax;
        return true;
    }
    *number = -1;
    return code[0] == 0x0f && code[1] == 0x05 && rax == -EINTR;
}

// rax has lost the number, but libc's wrappers load it right before the call: `mov $number, %eax`
// is b8 and four bytes. The thread was running when it was asked to stop, so the call has just
// begun, and restarting its timeout changes little.
void epitaph_interrupted_call_restart(ucontext_t *context) {
    uint8_t code[7];
    uint64_t address = epitaph_registers_instruction_pointer(context);
    int64_t result = context->uc_mcontext.gregs[REG_RAX];
    if (result != -EINTR ||
        epitaph_sys_process_vm_readv(epitaph_sys_getpid(), code, address - sizeof code,
                                     sizeof code) != sizeof code ||
        code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05) {
        return;
    }
    uint32_t number;
    epitaph_bytes_copy(&number, code + 1, sizeof number);
    // These end once a handler has run, perhaps the program's. Linux has closed the descriptor even
    // if close(2) fails.
    if (number == __NR_pause || number == __NR_rt_sigsuspend || number == __NR_close) return;
    context->uc_mcontext.gregs[REG_RAX] = (greg_t)number;
    context->uc_mcontext.gregs[REG_RIP] -= 2;
}

#endif
