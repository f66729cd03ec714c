// SPDX-License-Identifier: Apache-2.0
//
// The registers of a thread: from the frame of its signal handler, from ptrace(2), as addresses,
// and kept for a jump. One file per architecture. CRASH-TIME unless said otherwise.

#ifndef EPITAPH_PROCESSOR_REGISTERS_H
#define EPITAPH_PROCESSOR_REGISTERS_H

#include "epitaph_settings.h"
#include "system/bytes.h"

#include <ucontext.h>

#pragma GCC visibility push(hidden)

// A thread's registers, from the `ucontext_t` the kernel made for its signal handler.

/// How far below the stack pointer a leaf function may keep data: 128 bytes on x86_64 (psABI
/// 3.2.2), none on aarch64.
extern const uint64_t epitaph_red_zone_bytes;

uint64_t epitaph_registers_instruction_pointer(const ucontext_t *context);
uint64_t epitaph_registers_stack_pointer(const ucontext_t *context);

/// The bytes of THREAD_STATE, inside the context.
const void *epitaph_registers_saved(const ucontext_t *context, size_t *count);

/// The calling thread's thread pointer, without a system call; 0 if that is not possible.
uint64_t epitaph_registers_thread_pointer(void);

/// Whether a handler that was entered with the stack pointer `entry` was called by the kernel.
bool epitaph_registers_is_kernel_entry(const siginfo_t *info, const ucontext_t *context,
                                       const void *entry);

/// Makes the thread continue with an instruction that raises `signal`; false if there is none.
bool epitaph_registers_go_to_fault(ucontext_t *context, int signal);

/// Makes the processor allow unaligned accesses, as compilers expect: the program may have
/// forbidden them (EFLAGS.AC), and the kernel leaves that to its signal handlers.
void epitaph_registers_allow_unaligned(void);

/// The bytes of FLOAT_STATE, inside the context; NULL if there are none. For a thread that waits in
/// a system call they are fewer: functions keep nothing in vector registers across a call (psABI
/// 3.2.1; AAPCS64 6.1.2 for all but the low halves of v8 to v15).
const void *epitaph_registers_floats(const ucontext_t *context, bool is_in_system_call,
                                     size_t *count);

/// The part of THREAD_STATE with the general registers that unwinding does not need.
epitaph_range epitaph_registers_general_part(void);

/// The most parts that `epitaph_registers_wide_parts` stores.
enum { EPITAPH_WIDE_PART_COUNT = 3 };

/// Where in FLOAT_STATE the parts of the vector register `number` are, the lowest first; returns
/// how many there are in its first `count` bytes, 0 for a number that no register has. Registers
/// stored in one piece are not included.
uint32_t epitaph_registers_wide_parts(uint32_t number, size_t count,
                                      epitaph_range parts[EPITAPH_WIDE_PART_COUNT]);

/// Where in FLOAT_STATE the registers are that may contain text, including the wide ones: `part` 0,
/// 1 and so on; false if there is no such part.
bool epitaph_registers_float_part(uint32_t part, size_t count, epitaph_range *range);

/// The general registers' values, for finding memory worth capturing; returns how many were stored,
/// at most 32.
uint32_t epitaph_registers_values(const ucontext_t *context, uint64_t values[32]);

// The registers of a thread stopped by ptrace(2), in the form that a signal handler finds them in.

enum {
    /// x86_64: an XSAVE area with AMX takes 11,008 bytes (Intel SDM 1, 13.5).
    EPITAPH_TRACED_FLOAT_SIZE = 12288,
};

typedef struct epitaph_traced_registers {
    ucontext_t context;
    _Alignas(64) uint8_t floats[EPITAPH_TRACED_FLOAT_SIZE];
} epitaph_traced_registers;

/// Reads the registers of `tid`, which the caller has stopped. Returns 0 or a negative errno.
/// Floating-point registers that cannot be read are left out.
long epitaph_traced_registers_read(int32_t tid, epitaph_traced_registers *registers,
                                   uint64_t *thread_data_address);

// The address in a pointer. On aarch64 the processor ignores the highest byte of a pointer to data
// ("Top Byte Ignore", Arm ARM D8.8), which memory tagging and HWASan use, and with pointer
// authentication the bits below it may hold a code. Maps of the address space contain neither.
// ANY-TIME.

static inline uint64_t epitaph_pointer_address(uint64_t pointer) {
#if defined(__aarch64__)
    const uint64_t kernel_bit = 1ull << 55;
    const uint64_t below_tag = (1ull << 56) - 1;
    uint64_t mask = epitaph_capture_settings_now.facts.address_mask;
    // An address of the kernel: all bits above are set, and none of them is a tag.
    if ((pointer & kernel_bit) != 0) return pointer;
    return pointer & (mask == 0 ? below_tag : mask);
#else
    return pointer;
#endif
}

// Leaving a broken section: a set-jump and a long-jump of our own. libc's are reached through the
// PLT, mangle pointers with a thread-local secret and may run clean-up code. CRASH-TIME.

/// The registers a function must preserve (x86_64: psABI 3.2.1; aarch64: AAPCS64 6.1), the stack
/// pointer and the return address.
typedef struct epitaph_jump {
    uint64_t words[22];
} epitaph_jump;

/// Remembers the place of the call and returns 0; returns 1 when `epitaph_jump_to` jumps back to
/// it. The calling function must not have returned by then.
__attribute__((returns_twice)) int epitaph_jump_set(epitaph_jump *jump);

_Noreturn void epitaph_jump_to(const epitaph_jump *jump);

#pragma GCC visibility pop

#endif
