// SPDX-License-Identifier: Apache-2.0
//
// Registers from signal frames and ptrace(2), and jumps, per architecture. CRASH-TIME unless noted.

#ifndef EPITAPH_PROCESSOR_REGISTERS_H
#define EPITAPH_PROCESSOR_REGISTERS_H

#include "epitaph_settings.h"
#include "system/bytes.h"

#include <ucontext.h>

#pragma GCC visibility push(hidden)

// Registers in the `ucontext_t` that the kernel made for a signal handler.

/// Bytes below the stack pointer that leaf functions may use (x86_64: psABI 3.2.2).
extern const uint64_t epitaph_red_zone_bytes;

uint64_t epitaph_registers_instruction_pointer(const ucontext_t *context);
uint64_t epitaph_registers_stack_pointer(const ucontext_t *context);

const void *epitaph_registers_saved(const ucontext_t *context, size_t *count);

/// THREAD_STATE of a call whose program counter, stack pointer and preserved registers are known
/// (epitaph_heap_pool.h); the others are 0. Returns its bytes.
size_t epitaph_registers_of_call(const uint64_t *known, void *saved);

/// The calling thread's thread pointer without a system call; 0 if impossible.
uint64_t epitaph_registers_thread_pointer(void);

/// Whether the kernel called the handler that was entered with stack pointer `entry`.
bool epitaph_registers_is_kernel_entry(const siginfo_t *info, const ucontext_t *context,
                                       const void *entry);

/// Adds `distance` to the pointers of the kernel's frame into itself, before it is copied there.
void epitaph_registers_move_pointers(ucontext_t *context, uint64_t distance);

/// Continues the thread at an instruction that raises `signal`; false if there is none.
bool epitaph_registers_go_to_fault(ucontext_t *context, int signal);

/// Makes the system call again that a filter answered with SIGSYS: the kernel has put the registers
/// back, syscall_rollback of asm/syscall.h.
void epitaph_registers_repeat_call(ucontext_t *context);
/// The value that the interrupted call returns.
void epitaph_registers_set_result(ucontext_t *context, long result);

/// Allows unaligned accesses, as compilers expect: the program may have forbidden them (EFLAGS.AC),
/// and the kernel keeps that in signal handlers.
void epitaph_registers_allow_unaligned(void);

/// FLOAT_STATE, inside the context, or NULL. Less in a system call: functions keep nothing in
/// vector registers across one (psABI 3.2.1; AAPCS64 6.1.2, except the low halves of v8 to v15).
const void *epitaph_registers_floats(const ucontext_t *context, bool is_in_system_call,
                                     size_t *count);

/// The general registers in THREAD_STATE that unwinding does not need.
epitaph_range epitaph_registers_general_part(void);

enum { EPITAPH_WIDE_PART_COUNT = 3 };

/// Parts of vector register `number` in `count` bytes of FLOAT_STATE, lowest first. Returns their
/// number: 0 if there is no such register, or if it is stored in one piece.
uint32_t epitaph_registers_wide_parts(uint32_t number, size_t count,
                                      epitaph_range parts[EPITAPH_WIDE_PART_COUNT]);

/// Ranges of FLOAT_STATE that may contain text, by `part` 0, 1 and so on; false after the last.
bool epitaph_registers_float_part(uint32_t part, size_t count, epitaph_range *range);

uint32_t epitaph_registers_values(const ucontext_t *context, uint64_t values[32]);

// Registers of a thread stopped by ptrace(2), converted to the form of a signal frame.

enum {
    /// x86_64: an XSAVE area with AMX takes 11,008 bytes (Intel SDM 1, 13.5).
    EPITAPH_TRACED_FLOAT_SIZE = 12288,
};

typedef struct epitaph_traced_registers {
    ucontext_t context;
    _Alignas(64) uint8_t floats[EPITAPH_TRACED_FLOAT_SIZE];
} epitaph_traced_registers;

/// Reads the stopped `tid`, floating-point registers if possible. Returns 0 or a negative errno.
long epitaph_traced_registers_read(int32_t tid, epitaph_traced_registers *registers,
                                   uint64_t *thread_data_address);

/// Makes a system call of the stopped `tid` that the stop is about to end with EINTR go on instead,
/// as others do by themselves: epoll_wait(2), semtimedop(2), sockets with a timeout; signal(7). A
/// signal with a handler ends it all the same.
void epitaph_traced_call_go_on(int32_t tid);

#if defined(__x86_64__)
enum { EPITAPH_TRACED_CALLS_GO_ON = 1 };
#else
enum { EPITAPH_TRACED_CALLS_GO_ON = 0 };
#endif

// ANY-TIME. The address in a pointer. On aarch64 the processor ignores the highest byte of data
// pointers ("Top Byte Ignore", Arm ARM D8.8), which memory tagging and HWASan use, and pointer
// authentication may put a code into the bits below. Memory maps contain neither.

static inline uint64_t epitaph_pointer_address(uint64_t pointer) {
#if defined(__aarch64__)
    const uint64_t kernel_bit = 1ull << 55;
    const uint64_t below_tag = (1ull << 56) - 1;
    uint64_t mask = epitaph_capture_settings_now.facts.address_mask;
    // A kernel address: all bits above are set, and none is a tag.
    if ((pointer & kernel_bit) != 0) return pointer;
    return pointer & (mask == 0 ? below_tag : mask);
#else
    return pointer;
#endif
}

// CRASH-TIME. Our own set-jump and long-jump, to leave a broken section. libc's are reached through
// the PLT, mangle pointers with a thread-local secret and may run clean-up code.

/// Registers that functions must preserve (psABI 3.2.1; AAPCS64 6.1), sp and return address.
typedef struct epitaph_jump {
    uint64_t words[22];
} epitaph_jump;

/// Returns 0, and 1 after a jump back. The calling function must not have returned by then.
__attribute__((returns_twice)) int epitaph_jump_set(epitaph_jump *jump);

/// Does not return. Declared so, AddressSanitizer would look at our stack first, which it does not
/// know, and say so on standard error.
void epitaph_jump_to(const epitaph_jump *jump);

/// Makes the thread jump when the handler returns.
void epitaph_registers_go_to_jump(ucontext_t *context, const epitaph_jump *jump);

#pragma GCC visibility pop

#endif
