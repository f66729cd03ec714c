// SPDX-License-Identifier: Apache-2.0
//
// Registers of a signal frame on aarch64.

#if defined(__aarch64__)

#include "processor/registers.h"

#include <asm/sigcontext.h>
#include <errno.h>

// Start of `struct sigcontext`, asm/sigcontext.h: fault_address, x0 to x30, sp, pc, pstate.
enum { SAVED_REGISTER_COUNT = 35, RECORD_HEADER_SIZE = 8 };

const uint64_t epitaph_red_zone_bytes = 0;

uint64_t epitaph_registers_instruction_pointer(const ucontext_t *context) {
    return context->uc_mcontext.pc;
}

uint64_t epitaph_registers_stack_pointer(const ucontext_t *context) {
    return context->uc_mcontext.sp;
}

const void *epitaph_registers_saved(const ucontext_t *context, size_t *count) {
    *count = SAVED_REGISTER_COUNT * 8;
    return &context->uc_mcontext;
}

size_t epitaph_registers_of_call(const uint64_t *known, void *saved) {
    // Behind the fault's address; pc and sp come first in `known`, then x19 to x30.
    enum { X19 = 20, SP = 32, PC = 33, PRESERVED_COUNT = 12 };
    uint64_t *registers = saved;
    epitaph_bytes_zero(saved, SAVED_REGISTER_COUNT * 8);
    registers[PC] = known[0];
    registers[SP] = known[1];
    for (size_t i = 0; i < PRESERVED_COUNT; i++)
        registers[X19 + i] = known[2 + i];
    return SAVED_REGISTER_COUNT * 8;
}

uint64_t epitaph_registers_thread_pointer(void) {
    uint64_t address;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(address));
    return address;
}

// The kernel's frame begins with the siginfo_t: `struct rt_sigframe`, arch/arm64/kernel/signal.c.
bool epitaph_registers_is_kernel_entry(const siginfo_t *info, const ucontext_t *context,
                                       const void *entry) {
    (void)context;
    return (uint64_t)entry == (uint64_t)info;
}

void epitaph_registers_repeat_call(ucontext_t *context) {
    enum { CALL_BYTES = 4 };  // svc
    context->uc_mcontext.pc -= CALL_BYTES;
}

void epitaph_registers_set_result(ucontext_t *context, long result) {
    context->uc_mcontext.regs[0] = (uint64_t)result;
}

// udf raises SIGILL, brk SIGTRAP; a load from the kernel's end of the address space, SIGSEGV.
__asm__(".text\n"
        ".hidden epitaph_fault_segv\n"
        ".type epitaph_fault_segv, %function\n"
        "epitaph_fault_segv:\n"
        "    mov x16, #-4096\n"
        "    ldr x16, [x16]\n"
        ".size epitaph_fault_segv, . - epitaph_fault_segv\n"
        ".hidden epitaph_fault_ill\n"
        ".type epitaph_fault_ill, %function\n"
        "epitaph_fault_ill:\n"
        "    .inst 0x00000000\n"
        ".size epitaph_fault_ill, . - epitaph_fault_ill\n"
        ".hidden epitaph_fault_trap\n"
        ".type epitaph_fault_trap, %function\n"
        "epitaph_fault_trap:\n"
        "    brk #0\n"
        ".size epitaph_fault_trap, . - epitaph_fault_trap\n");
extern const char epitaph_fault_segv[] __attribute__((visibility("hidden")));
extern const char epitaph_fault_ill[] __attribute__((visibility("hidden")));
extern const char epitaph_fault_trap[] __attribute__((visibility("hidden")));

static uint64_t fault_of(int signal) {
    if (signal == SIGSEGV) return (uint64_t)epitaph_fault_segv;
    if (signal == SIGILL) return (uint64_t)epitaph_fault_ill;
    return signal == SIGTRAP ? (uint64_t)epitaph_fault_trap : 0;
}

bool epitaph_registers_go_to_fault(ucontext_t *context, int signal) {
    uint64_t instruction = fault_of(signal);
    if (instruction != 0) context->uc_mcontext.pc = instruction;
    return instruction != 0;
}

void epitaph_registers_go_to_jump(ucontext_t *context, const epitaph_jump *jump) {
    context->uc_mcontext.pc = (uint64_t)epitaph_jump_to;
    context->uc_mcontext.regs[0] = (uint64_t)jump;
}

void epitaph_registers_allow_unaligned(void) {}

/// Length of the records the kernel appended (FPSIMD, ESR, SVE), up to magic 0.
static uint32_t record_bytes(const uint8_t *records, uint32_t limit) {
    uint32_t used = 0;
    while (used + RECORD_HEADER_SIZE <= limit) {
        const struct _aarch64_ctx *header = (const struct _aarch64_ctx *)(records + used);
        if (header->magic == 0 || header->size < RECORD_HEADER_SIZE ||
            header->size > limit - used) {
            break;
        }
        used += header->size;
    }
    return used;
}

// Records that do not fit follow the context, and one of them says where.
void epitaph_registers_move_pointers(ucontext_t *context, uint64_t distance) {
    uint8_t *records = (uint8_t *)context->uc_mcontext.__reserved;
    uint32_t end = record_bytes(records, sizeof context->uc_mcontext.__reserved);
    for (uint32_t at = 0; at < end; at += ((struct _aarch64_ctx *)(records + at))->size) {
        struct extra_context *extra = (struct extra_context *)(records + at);
        if (extra->head.magic == EXTRA_MAGIC) extra->datap += distance;
    }
}

// Nothing to shorten: the first record, FPSIMD, is as small as x86_64's shortened form, and a
// thread in a system call has no SVE state.
const void *epitaph_registers_floats(const ucontext_t *context, bool is_in_system_call,
                                     size_t *count) {
    (void)is_in_system_call;
    const uint8_t *records = (const uint8_t *)context->uc_mcontext.__reserved;
    *count = record_bytes(records, sizeof context->uc_mcontext.__reserved);
    return *count == 0 ? NULL : records;
}

// x0 to x28, after the fault address and before frame pointer and return address.
epitaph_range epitaph_registers_general_part(void) {
    epitaph_range part = {.start = 8, .end = 30 * 8};
    return part;
}

uint32_t epitaph_registers_wide_parts(uint32_t number, size_t count,
                                      epitaph_range parts[EPITAPH_WIDE_PART_COUNT]) {
    (void)number;
    (void)count;
    (void)parts;
    return 0;
}

// Headers and control words contain no eight bytes of text.
bool epitaph_registers_float_part(uint32_t part, size_t count, epitaph_range *range) {
    range->start = 0;
    range->end = count;
    return part == 0;
}

uint32_t epitaph_registers_values(const ucontext_t *context, uint64_t values[32]) {
    uint32_t count = 0;
    for (; count < 31; count++)
        values[count] = context->uc_mcontext.regs[count];
    return count;
}

#endif
