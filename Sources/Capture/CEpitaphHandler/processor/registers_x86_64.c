// SPDX-License-Identifier: Apache-2.0
//
// Registers of a signal frame on x86_64.

#if defined(__x86_64__)

#include "processor/registers.h"

#include <asm/unistd.h>
#include <errno.h>

// Start of `struct sigcontext`, asm/sigcontext.h, in the order of libc's gregset_t.
enum { SAVED_REGISTER_COUNT = 23 };
_Static_assert(sizeof(gregset_t) == SAVED_REGISTER_COUNT * 8, "gregset_t is the kernel's order");

// The end of the FXSAVE area describes what follows: `struct _fpx_sw_bytes`, asm/sigcontext.h.
enum {
    FXSAVE_SIZE = 512,
    SOFTWARE_BYTES_OFFSET = 464,
    EXTENDED_MAGIC = 0x46505853,
    XSAVE_HEADER_SIZE = 64,
    LEGACY_COMPONENT_COUNT = 2,
};

const uint64_t epitaph_red_zone_bytes = 128;

uint64_t epitaph_registers_instruction_pointer(const ucontext_t *context) {
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

uint64_t epitaph_registers_stack_pointer(const ucontext_t *context) {
    return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

const void *epitaph_registers_saved(const ucontext_t *context, size_t *count) {
    *count = SAVED_REGISTER_COUNT * 8;
    return context->uc_mcontext.gregs;
}

size_t epitaph_registers_of_call(const uint64_t *known, void *saved) {
    static const uint8_t places[] = {REG_RIP, REG_RSP, REG_RBP, REG_RBX,
                                     REG_R12, REG_R13, REG_R14, REG_R15};
    uint64_t *registers = saved;
    epitaph_bytes_zero(saved, SAVED_REGISTER_COUNT * 8);
    for (size_t i = 0; i < sizeof places; i++)
        registers[places[i]] = known[i];
    return SAVED_REGISTER_COUNT * 8;
}

// The kernel reports rdfsbase as HWCAP2_FSGSBASE of asm/hwcap2.h, bit 1; Linux 5.9.
uint64_t epitaph_registers_thread_pointer(void) {
    const uint64_t has_fsgsbase = 2;
    uint64_t address = 0;
    if ((epitaph_capture_settings_now.facts.hardware_capabilities_2 & has_fsgsbase) != 0) {
        __asm__ volatile("rdfsbase %0" : "=r"(address));
    }
    return address;
}

// The kernel's frame: return address, ucontext_t: `struct rt_sigframe`, asm/sigframe.h.
bool epitaph_registers_is_kernel_entry(const siginfo_t *info, const ucontext_t *context,
                                       const void *entry) {
    (void)info;
    return (uint64_t)entry + 8 == (uint64_t)context;
}

void epitaph_registers_move_pointers(ucontext_t *context, uint64_t distance) {
    if (context->uc_mcontext.fpregs == NULL) return;
    context->uc_mcontext.fpregs = (fpregset_t)((uint64_t)context->uc_mcontext.fpregs + distance);
}

void epitaph_registers_repeat_call(ucontext_t *context) {
    enum { CALL_BYTES = 2 };  // syscall: 0f 05, int $0x80: cd 80
    context->uc_mcontext.gregs[REG_RIP] -= CALL_BYTES;
}

void epitaph_registers_set_result(ucontext_t *context, long result) {
    context->uc_mcontext.gregs[REG_RAX] = result;
}

// hlt is privileged and raises SIGSEGV, ud2 SIGILL, int3 SIGTRAP.
__asm__(".text\n"
        ".hidden epitaph_fault_segv\n"
        ".type epitaph_fault_segv, @function\n"
        "epitaph_fault_segv:\n"
        "    hlt\n"
        ".size epitaph_fault_segv, . - epitaph_fault_segv\n"
        ".hidden epitaph_fault_ill\n"
        ".type epitaph_fault_ill, @function\n"
        "epitaph_fault_ill:\n"
        "    ud2\n"
        ".size epitaph_fault_ill, . - epitaph_fault_ill\n"
        ".hidden epitaph_fault_trap\n"
        ".type epitaph_fault_trap, @function\n"
        "epitaph_fault_trap:\n"
        "    int3\n"
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
    if (instruction != 0) context->uc_mcontext.gregs[REG_RIP] = (greg_t)instruction;
    return instruction != 0;
}

void epitaph_registers_go_to_jump(ucontext_t *context, const epitaph_jump *jump) {
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)epitaph_jump_to;
    context->uc_mcontext.gregs[REG_RDI] = (greg_t)jump;
}

void epitaph_registers_allow_unaligned(void) {
    // Below the red zone of the function this is inlined into.
    __asm__ volatile("subq $128, %%rsp\n\t"
                     "pushfq\n\t"
                     "andq $~0x40000, (%%rsp)\n\t"
                     "popfq\n\t"
                     "addq $128, %%rsp"
                     :
                     :
                     : "cc", "memory");
}

/// Size of the XSAVE area without trailing components in their initial state (XSTATE_BV, Intel SDM
/// 1, 13.4.2), most of it in a thread without AVX-512. The area is in the kernel's frame.
static uint32_t used_float_bytes(const uint8_t *area) {
    struct {
        uint32_t magic;
        uint32_t extended_size;
        uint64_t features;
        uint32_t xstate_size;
    } software;
    uint64_t in_use;
    epitaph_bytes_copy(&software, area + SOFTWARE_BYTES_OFFSET, sizeof software);
    if (software.magic != EXTENDED_MAGIC) return FXSAVE_SIZE;
    epitaph_bytes_copy(&in_use, area + FXSAVE_SIZE, sizeof in_use);
    uint32_t size = FXSAVE_SIZE + XSAVE_HEADER_SIZE;
    for (int i = LEGACY_COMPONENT_COUNT; i < EPITAPH_XSTATE_COMPONENT_COUNT; i++) {
        uint32_t end = epitaph_capture_settings_now.facts.xstate_end_bytes[i];
        if ((in_use >> i & 1) != 0 && end > size) size = end;
    }
    return size < software.xstate_size ? size : software.xstate_size;
}

// The first part has MXCSR, the x87 state and the low halves of the sixteen vector registers, on
// which code with an inline system call may rely.
const void *epitaph_registers_floats(const ucontext_t *context, bool is_in_system_call,
                                     size_t *count) {
    const uint8_t *area = (const uint8_t *)context->uc_mcontext.fpregs;
    if (area == NULL) return NULL;
    *count = is_in_system_call ? FXSAVE_SIZE : used_float_bytes(area);
    return area;
}

// r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx; rsp and rip follow.
epitaph_range epitaph_registers_general_part(void) {
    epitaph_range part = {.start = 0, .end = (uint64_t)REG_RSP * 8};
    return part;
}

// Intel SDM 1, 13.4 and 13.5: the low 16 bytes are in the legacy area, each further part in a
// component of its own. AVX-512's upper sixteen registers are in one piece.
uint32_t epitaph_registers_wide_parts(uint32_t number, size_t count,
                                      epitaph_range parts[EPITAPH_WIDE_PART_COUNT]) {
    enum { REGISTER_COUNT = 16, XMM_OFFSET = 160, AVX = 2, ZMM_HIGH = 6 };
    static const struct {
        uint8_t component;
        uint8_t bytes;
    } high[] = {{AVX, 16}, {ZMM_HIGH, 32}};
    if (number >= REGISTER_COUNT) return 0;
    parts[0].start = XMM_OFFSET + 16 * number;
    parts[0].end = parts[0].start + 16;
    uint32_t found = 1;
    for (uint32_t i = 0; i < sizeof high / sizeof *high; i++) {
        uint32_t end = epitaph_capture_settings_now.facts.xstate_end_bytes[high[i].component];
        uint32_t size = REGISTER_COUNT * high[i].bytes;
        if (end < size || end > count) break;
        parts[found].start = end - size + number * high[i].bytes;
        parts[found].end = parts[found].start + high[i].bytes;
        found++;
    }
    return found;
}

// Without the control words, the kernel's description and the extended header.
bool epitaph_registers_float_part(uint32_t part, size_t count, epitaph_range *range) {
    enum { FIRST = 32, LEGACY_END = 416, EXTENDED = FXSAVE_SIZE + XSAVE_HEADER_SIZE };
    if (part > 1 || count <= (part == 0 ? FIRST : EXTENDED)) return false;
    range->start = part == 0 ? FIRST : EXTENDED;
    range->end = part == 0 && count > LEGACY_END ? LEGACY_END : count;
    return true;
}

uint32_t epitaph_registers_values(const ucontext_t *context, uint64_t values[32]) {
    static const uint8_t kept[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI,
                                   REG_RSI, REG_RBP, REG_R8,  REG_R9,  REG_R10,
                                   REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (uint32_t i = 0; i < sizeof kept; i++) {
        values[i] = (uint64_t)context->uc_mcontext.gregs[kept[i]];
    }
    return sizeof kept;
}

#endif
