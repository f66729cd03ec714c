// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Foundation
import TestSupport
import Testing

/// In the test process itself, so nothing here crashes.
@Suite(.serialized) final class ChoicesTests {
    init() throws { try ThisProcess.claim() }

    deinit { ThisProcess.release() }

    private func withReporter(_ body: (CrashReporter) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        var options = CrashReporterOptions()
        options.signals = [SIGUSR2]
        options.allowsDebugger = true
        // Other tests run on other threads.
        options.preparesExistingThreads = false
        let reporter = try CrashReporter(
            databasePath: directory.path("db"), bundleID: "org.example.choices", options: options)
        defer { reporter.stop() }
        try body(reporter)
    }

    private func isHandled(_ signal: Int32) -> Bool {
        var present = sigaction()
        sigaction(signal, nil, &present)
        return present.__sigaction_handler.sa_handler != nil
    }

    @Test("Capture can be switched off and on, and is off after the stop")
    func enabling() throws {
        var kept: CrashReporter?
        try withReporter { reporter in
            #expect(reporter.isEnabled)
            reporter.isEnabled = false
            #expect(!reporter.isEnabled)
            reporter.isEnabled = true
            #expect(reporter.isEnabled)
            kept = reporter
        }
        #expect(kept?.isEnabled == false)
        #expect(kept?.limits == nil)
        #expect(throws: SignalError.notStarted) { try kept?.setHandled(SIGUSR2, true) }
    }

    @Test("Limits change together, and a field of 0 stays as it is")
    func limits() throws {
        try withReporter { reporter in
            var limits = try #require(reporter.limits)
            #expect(limits.crashingStackBytes == 1 << 20 && limits.stopTimeoutMilliseconds == 500)
            limits.crashingStackBytes = 4096
            limits.stopTimeoutMilliseconds = 50
            limits.otherStackBytes = 0
            limits.allMemoryBytes = 1 << 16
            reporter.limits = limits
            let now = try #require(reporter.limits)
            #expect(now.crashingStackBytes == 4096 && now.stopTimeoutMilliseconds == 50)
            #expect(now.otherStackBytes == 256 << 10)
            #expect(now.allMemoryBytes == 1 << 16)
            #expect(now.registeredMemoryBytes == limits.registeredMemoryBytes)
        }
    }

    @Test("A signal can be given up and taken; one that cannot be handled is refused in words")
    func signals() throws {
        try withReporter { reporter in
            #expect(isHandled(SIGUSR2))
            try reporter.setHandled(SIGUSR2, false)
            #expect(!isHandled(SIGUSR2))
            try reporter.setHandled(SIGUSR2, true)
            #expect(isHandled(SIGUSR2))
            #expect(reporter.countDisplacedHandlers() == 0)
            #expect(throws: SignalError.cannotBeHandled(SIGKILL)) {
                try reporter.setHandled(SIGKILL, true)
            }
            #expect(
                SignalError.cannotBeHandled(9).description
                    == "signal 9 cannot be handled, or the program ignores it")
        }
        #expect(!isHandled(SIGUSR2))
    }

    @Test("A displaced handler is counted and taken back")
    func displaced() throws {
        try withReporter { reporter in
            signal(SIGUSR2, SIG_DFL)
            #expect(reporter.countDisplacedHandlers() == 1)
            #expect(reporter.countDisplacedHandlers(retaking: true) == 1)
            #expect(reporter.countDisplacedHandlers() == 0)
            #expect(isHandled(SIGUSR2))
        }
    }

    @Test("Last words may be set and taken back")
    func lastWords() throws {
        try withReporter { reporter in
            reporter.setLastWords("goodbye")
            reporter.setLastWords(nil)
        }
    }
}
