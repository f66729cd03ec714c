// SPDX-License-Identifier: Apache-2.0
//
// The registers of a thread stopped by ptrace(2), in the form that a signal handler finds them in.
// One file per architecture. CRASH-TIME.

#ifndef EPITAPH_PROCESSOR_TRACED_REGISTERS_H
#define EPITAPH_PROCESSOR_TRACED_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
