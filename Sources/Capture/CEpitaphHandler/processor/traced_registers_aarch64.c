// SPDX-License-Identifier: Apache-2.0
//
// Converts ptrace(2) registers to a signal frame's, on aarch64.

#if defined(__aarch64__)

#include "processor/registers.h"

#include "system/sys.h"

#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <elf.h>

// Nothing to convert for a system call that will be repeated: the kernel has already set pc back
// and x0 to its first argument (arch/arm64/kernel/signal.c).

/// The FPSIMD record; the zeroed one after it ends the list.
static void read_floats(int32_t tid, uint8_t *records) {
    struct user_fpsimd_state floats;
    struct fpsimd_context record;
    if (epitaph_sys_ptrace_get_registers(tid, NT_PRFPREG, &floats, sizeof floats) < 0) return;
    record.head.magic = FPSIMD_MAGIC;
    record.head.size = sizeof record;
    record.fpsr = floats.fpsr;
    record.fpcr = floats.fpcr;
    epitaph_bytes_copy(record.vregs, floats.vregs, sizeof record.vregs);
    epitaph_bytes_copy(records, &record, sizeof record);
}

long epitaph_traced_registers_read(int32_t tid, epitaph_traced_registers *registers,
                                   uint64_t *thread_data_address) {
    struct user_pt_regs general;
    mcontext_t *machine = &registers->context.uc_mcontext;
    long size = epitaph_sys_ptrace_get_registers(tid, NT_PRSTATUS, &general, sizeof general);
    if (size < 0) return size;
    epitaph_bytes_zero(&registers->context, sizeof registers->context);
    epitaph_bytes_copy(machine->regs, general.regs, sizeof machine->regs);
    machine->sp = general.sp;
    machine->pc = general.pc;
    machine->pstate = general.pstate;
    uint64_t thread_pointer;
    size = epitaph_sys_ptrace_get_registers(tid, NT_ARM_TLS, &thread_pointer, 8);
    *thread_data_address = size < 8 ? 0 : thread_pointer;
    read_floats(tid, machine->__reserved);
    return 0;
}

// Not possible: the call's first argument is nowhere to be read.
void epitaph_traced_call_go_on(int32_t tid) {
    (void)tid;
}

#endif
