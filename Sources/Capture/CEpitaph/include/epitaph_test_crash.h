// SPDX-License-Identifier: Apache-2.0
//
// Deliberate crashes, to test that reports arrive. Comes with epitaph.h.

#ifndef EPITAPH_TEST_CRASH_H
#define EPITAPH_TEST_CRASH_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef enum epitaph_test_crash_kind {
    /// Writes to address 8: SIGSEGV.
    EPITAPH_TEST_CRASH_NULL_WRITE = 1,
    /// Calls abort(3): SIGABRT.
    EPITAPH_TEST_CRASH_ABORT = 2,
    /// Recurses until the stack overflows: SIGSEGV.
    EPITAPH_TEST_CRASH_STACK_OVERFLOW = 3,
    /// Executes an illegal instruction: SIGILL.
    EPITAPH_TEST_CRASH_ILLEGAL_INSTRUCTION = 4,
    /// Divides by zero: SIGFPE. Raised on aarch64, where division by zero does not fault.
    EPITAPH_TEST_CRASH_ARITHMETIC = 5,
    /// Reads a mapped file past its end: SIGBUS.
    EPITAPH_TEST_CRASH_BUS_ERROR = 6,
    /// Throws an uncaught C++ exception; fails without a C++ runtime in the process, and in a fully
    /// static program.
    EPITAPH_TEST_CRASH_CXX_EXCEPTION = 7,
    /// Blocks the calling thread forever, for a watchdog to notice.
    EPITAPH_TEST_CRASH_HANG = 8,
    /// SIGKILL, as sent by the kernel's OOM killer and by systemd after a stop timeout.
    EPITAPH_TEST_CRASH_KILL = 9,
    EPITAPH_TEST_CRASH_TERMINATE = 10,
    /// exit(3) with status 1.
    EPITAPH_TEST_CRASH_EXIT = 11,
    /// _exit(2) with status 1.
    EPITAPH_TEST_CRASH_IMMEDIATE_EXIT = 12,
} epitaph_test_crash_kind;

/// QUIET-TIME. Ends the process as requested, or returns EPITAPH_NOT_STARTED;
/// EPITAPH_INVALID_OPTION if `allows_test_crashes` is not set or the kind is unknown;
/// EPITAPH_SYSTEM_ERROR if this process cannot end that way; EPITAPH_OK if the program handled or
/// ignored the signal. `error` may be NULL.
epitaph_status epitaph_test_crash(epitaph_test_crash_kind kind, epitaph_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
