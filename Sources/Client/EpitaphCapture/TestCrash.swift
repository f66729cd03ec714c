// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// Deliberate crashes, to test reports. Each is in a function named after it.
    public enum TestCrash: String, Sendable, CaseIterable {
        /// Writes to address 8: SIGSEGV.
        case nullWrite = "null-write"
        /// abort(3): SIGABRT.
        case abort
        /// Swift's `fatalError`.
        case fatalError = "fatal-error"
        /// Array index out of range.
        case index
        /// Recurses until the stack overflows: SIGSEGV.
        case stackOverflow = "stack-overflow"
        /// Illegal instruction: SIGILL.
        case illegalInstruction = "illegal-instruction"
        /// Division by zero: SIGFPE. Raised on aarch64, where it does not fault.
        case arithmetic
        /// Reads a mapped file past its end: SIGBUS.
        case busError = "bus-error"
        /// Uncaught C++ exception; fails without a C++ runtime in the process.
        case cxxException = "cxx-exception"
        /// Blocks the calling thread forever, for hang detection.
        case hang
        /// SIGKILL, as sent by the kernel's OOM killer and by systemd after a stop timeout.
        case kill
        /// SIGTERM.
        case terminate
        /// exit(3) with status 1.
        case exit
        /// _exit(2) with status 1.
        case immediateExit = "immediate-exit"

        fileprivate var kind: epitaph_test_crash_kind? {
            switch self {
            case .fatalError, .index: nil
            case .nullWrite: EPITAPH_TEST_CRASH_NULL_WRITE
            case .abort: EPITAPH_TEST_CRASH_ABORT
            case .stackOverflow: EPITAPH_TEST_CRASH_STACK_OVERFLOW
            case .illegalInstruction: EPITAPH_TEST_CRASH_ILLEGAL_INSTRUCTION
            case .arithmetic: EPITAPH_TEST_CRASH_ARITHMETIC
            case .busError: EPITAPH_TEST_CRASH_BUS_ERROR
            case .cxxException: EPITAPH_TEST_CRASH_CXX_EXCEPTION
            case .hang: EPITAPH_TEST_CRASH_HANG
            case .kill: EPITAPH_TEST_CRASH_KILL
            case .terminate: EPITAPH_TEST_CRASH_TERMINATE
            case .exit: EPITAPH_TEST_CRASH_EXIT
            case .immediateExit: EPITAPH_TEST_CRASH_IMMEDIATE_EXIT
            }
        }
    }

    /// Ends the program, if the options allow it.
    ///
    /// - Throws: `Refusal`; otherwise this does not return.
    public static func generateTestCrash(_ crash: Epitaph.TestCrash) throws(Epitaph
        .Refusal)
    {
        try Self.generateTestCrash(
            crash, isAllowed: CrashReporter.allowsTestCrashes.load(ordering: .relaxed))
    }

    static func generateTestCrash(
        _ crash: TestCrash, isAllowed: Bool
    ) throws(Refusal) {
        guard CrashReporter.isStarted.load(ordering: .relaxed) else {
            throw .notStarted
        }
        guard isAllowed else {
            throw Refusal(
                .notAllowed, "test crashes are refused unless the options allow them")
        }
        guard let kind = crash.kind else {
            if crash == .index { testCrashIndex([1, 2, 3]) } else { testCrashFatalError() }
            return
        }
        var error = epitaph_error()
        switch epitaph_test_crash(kind, &error) {
        case EPITAPH_OK:
            throw Refusal(
                .impossible, "the program handles or ignores the signal, and lives on")
        case EPITAPH_NOT_STARTED: throw Refusal(.notStarted, error.sentence)
        case EPITAPH_INVALID_OPTION: throw Refusal(.notAllowed, error.sentence)
        default: throw Refusal(.impossible, error.sentence)
        }
    }
}

@inline(never)
private func testCrashFatalError() {
    fatalError("a test crash of Epitaph")
}

@inline(never)
private func testCrashIndex(_ numbers: [Int]) {
    print(numbers[numbers.count])
}
