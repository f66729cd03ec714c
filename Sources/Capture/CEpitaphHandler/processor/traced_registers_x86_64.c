// SPDX-License-Identifier: Apache-2.0
//
// Converts ptrace(2) registers to a signal frame's, on x86_64.

#if defined(__x86_64__)

#include "processor/registers.h"

#include "system/sys.h"

#include <asm/unistd.h>
#include <elf.h>
#include <errno.h>
#include <linux/ptrace.h>
#include <sys/user.h>

// A signal frame's FXSAVE image ends with `struct _fpx_sw_bytes`, asm/sigcontext.h. In ptrace's
// area its first word is XCR0 instead (arch/x86/kernel/fpu/xstate.c).
enum { FXSAVE_SIZE = 512, SOFTWARE_BYTES_OFFSET = 464, EXTENDED_MAGIC = 0x46505853 };
enum { MAGIC_AT_END_SIZE = 4, SYSTEM_CALL_INSTRUCTION_SIZE = 2 };
// Kernel-internal results of calls to be restarted: include/linux/errno.h.
enum { RESTART_ERRNO_FIRST = 512, RESTART_UNLESS_HANDLED = 514, RESTART_ERRNO_LAST = 516 };

#define PLACE(field) offsetof(struct user_regs_struct, field)

static const struct {
    uint16_t index;
    uint16_t offset;
} places[] = {
    {REG_R8, PLACE(r8)},   {REG_R9, PLACE(r9)},      {REG_R10, PLACE(r10)}, {REG_R11, PLACE(r11)},
    {REG_R12, PLACE(r12)}, {REG_R13, PLACE(r13)},    {REG_R14, PLACE(r14)}, {REG_R15, PLACE(r15)},
    {REG_RDI, PLACE(rdi)}, {REG_RSI, PLACE(rsi)},    {REG_RBP, PLACE(rbp)}, {REG_RBX, PLACE(rbx)},
    {REG_RDX, PLACE(rdx)}, {REG_RAX, PLACE(rax)},    {REG_RCX, PLACE(rcx)}, {REG_RSP, PLACE(rsp)},
    {REG_RIP, PLACE(rip)}, {REG_EFL, PLACE(eflags)},
};

static void convert(const struct user_regs_struct *from, greg_t *to) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        epitaph_bytes_copy(&to[places[i].index], (const char *)from + places[i].offset, 8);
    }
    to[REG_CSGSFS] = (greg_t)((from->cs & 0xffff) | (from->gs & 0xffff) << 16 |
                              (from->fs & 0xffff) << 32 | (from->ss & 0xffff) << 48);
    // A signal finds the thread about to repeat its call, ptrace before that.
    int64_t result = (int64_t)from->rax;
    bool is_to_be_restarted = result <= -RESTART_ERRNO_FIRST && result >= -RESTART_ERRNO_LAST;
    if ((int64_t)from->orig_rax >= 0 && is_to_be_restarted) {
        to[REG_RIP] -= SYSTEM_CALL_INSTRUCTION_SIZE;
        to[REG_RAX] = (greg_t)from->orig_rax;
    }
}

static void mark_extended(uint8_t *area, uint32_t size, uint64_t features) {
    struct {
        uint32_t magic;
        uint32_t extended_size;
        uint64_t features;
        uint32_t xstate_size;
    } software;
    software.magic = EXTENDED_MAGIC;
    software.extended_size = size + MAGIC_AT_END_SIZE;
    software.features = features;
    software.xstate_size = size;
    epitaph_bytes_copy(area + SOFTWARE_BYTES_OFFSET, &software, 20);
}

static void read_floats(int32_t tid, epitaph_traced_registers *registers) {
    uint8_t *area = registers->floats;
    registers->context.uc_mcontext.fpregs = (fpregset_t)(void *)area;
    long size =
        epitaph_sys_ptrace_get_registers(tid, NT_X86_XSTATE, area, sizeof registers->floats);
    if (size > FXSAVE_SIZE) {
        uint64_t features;
        epitaph_bytes_copy(&features, area + SOFTWARE_BYTES_OFFSET, sizeof features);
        mark_extended(area, (uint32_t)size, features);
        return;
    }
    epitaph_bytes_zero(area, FXSAVE_SIZE);
    size = epitaph_sys_ptrace_get_registers(tid, NT_PRFPREG, area, FXSAVE_SIZE);
    if (size < FXSAVE_SIZE) registers->context.uc_mcontext.fpregs = NULL;
}

long epitaph_traced_registers_read(int32_t tid, epitaph_traced_registers *registers,
                                   uint64_t *thread_data_address) {
    struct user_regs_struct general;
    long size = epitaph_sys_ptrace_get_registers(tid, NT_PRSTATUS, &general, sizeof general);
    if (size < 0) return size;
    epitaph_bytes_zero(&registers->context, sizeof registers->context);
    convert(&general, registers->context.uc_mcontext.gregs);
    *thread_data_address = general.fs_base;
    read_floats(tid, registers);
    return 0;
}

// The kernel looks at the result only when the thread goes on: arch_do_signal_or_restart. Linux has
// closed the descriptor even if close(2) fails.
void epitaph_traced_call_go_on(int32_t tid) {
    struct user_regs_struct general;
    long size = epitaph_sys_ptrace_get_registers(tid, NT_PRSTATUS, &general, sizeof general);
    if (size < 0 || (int64_t)general.rax != -EINTR) return;
    int64_t call = (int64_t)general.orig_rax;
    if (call < 0 || call == __NR_close) return;
    epitaph_sys_ptrace(PTRACE_POKEUSR, tid, PLACE(rax), (uint64_t)-RESTART_UNLESS_HANDLED);
}

#endif
