// SPDX-License-Identifier: Apache-2.0
//
// Crashes on purpose, to see that reports arrive. Comes with epitaph.h.

#ifndef EPITAPH_TEST_CRASH_H
#define EPITAPH_TEST_CRASH_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// Ways to end the process.
typedef enum epitaph_test_crash_kind {
    /// Writes to address 8: SIGSEGV.
    EPITAPH_TEST_CRASH_NULL_WRITE = 1,
    /// Calls abort(3): SIGABRT.
    EPITAPH_TEST_CRASH_ABORT = 2,
    /// Calls itself until the stack is full: SIGSEGV.
    EPITAPH_TEST_CRASH_STACK_OVERFLOW = 3,
    /// Executes an instruction that there is not: SIGILL.
    EPITAPH_TEST_CRASH_ILLEGAL_INSTRUCTION = 4,
    /// Divides by zero: SIGFPE. On aarch64, where that is no fault, the signal is raised.
    EPITAPH_TEST_CRASH_ARITHMETIC = 5,
    /// Reads a mapped file behind its end: SIGBUS.
    EPITAPH_TEST_CRASH_BUS_ERROR = 6,
    /// Throws a C++ exception that nobody catches; refused where the process has no C++ runtime.
    EPITAPH_TEST_CRASH_CXX_EXCEPTION = 7,
    /// The calling thread stops forever, and the process runs on: a watchdog should notice.
    EPITAPH_TEST_CRASH_HANG = 8,
    /// SIGKILL: what the kernel does when memory runs out, and systemd when a stop takes too long.
    EPITAPH_TEST_CRASH_KILL = 9,
    /// SIGTERM.
    EPITAPH_TEST_CRASH_TERMINATE = 10,
    /// exit(3) with status 1.
    EPITAPH_TEST_CRASH_EXIT = 11,
    /// _exit(2) with status 1.
    EPITAPH_TEST_CRASH_IMMEDIATE_EXIT = 12,
} epitaph_test_crash_kind;

/// QUIET-TIME. Ends the process in the way that was asked for, or returns why it does not:
/// EPITAPH_NOT_STARTED; EPITAPH_INVALID_OPTION when `allows_test_crashes` was not set at the start,
/// or there is no such kind; EPITAPH_SYSTEM_ERROR when this process cannot end so. A program that
/// handles or ignores the signal may survive it: then this returns EPITAPH_OK.
///
/// `error` may be NULL.
epitaph_status epitaph_test_crash(epitaph_test_crash_kind kind, epitaph_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
