// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// In the test process itself, so nothing here crashes.
@Suite(.serialized, .startsEpitaphHere) struct ChoicesTests {
    private func withReporter(
        virtualActions: Bool = CrashReporterOptions().virtualSignalActions,
        _ body: (CrashReporter) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        var options = CrashReporterOptions()
        options.virtualSignalActions = virtualActions
        options.signals = [.sigusr2]
        options.allowsDebugger = true
        // Other tests run on other threads.
        options.preparesExistingThreads = false
        let reporter = try CrashReporter(
            databasePath: directory.path("db"), bundleID: "org.example.choices", options: options)
        defer { reporter.stop() }
        try body(reporter)
    }

    /// Whatever sigaction(2) says: "SigCgt" of proc_pid_status(5).
    private func kernelHandles(_ signal: Int32) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(
            status.split(separator: "\n").first { $0.hasPrefix("SigCgt:\t") })
        let caught = try #require(UInt64(line.dropFirst(8), radix: 16))
        return caught & (1 << UInt64(signal - 1)) != 0
    }

    private func isHandled(_ signal: Int32) -> Bool {
        var present = sigaction()
        sigaction(signal, nil, &present)
        return present.__sigaction_handler.sa_handler != nil
    }

    @Test("Capture can be switched off and on, and is off after the stop")
    func enabling() throws {
        var limits: CaptureLimits?
        try withReporter { _ in
            #expect(Epitaph.isCaptureEnabled)
            Epitaph.isCaptureEnabled = false
            #expect(!Epitaph.isCaptureEnabled)
            Epitaph.isCaptureEnabled = true
            #expect(Epitaph.isCaptureEnabled)
            limits = Epitaph.limits
        }
        #expect(!Epitaph.isCaptureEnabled)
        #expect(Epitaph.limits == nil)
        #expect(throws: Refusal.notStarted) { try Epitaph.setLimits(#require(limits)) }
        #expect(throws: Refusal.notStarted) { try Epitaph.startHandling(.sigusr2) }
    }

    @Test("Limits change together, and a field of 0 stays as it is")
    func limits() throws {
        try withReporter { reporter in
            var limits = try #require(Epitaph.limits)
            #expect(
                limits.crashingStackBytes == 1 << 20 && limits.stopTimeout == .milliseconds(500))
            limits.crashingStackBytes = 4096
            limits.stopTimeout = .milliseconds(50)
            limits.otherStackBytes = 0
            limits.allMemoryBytes = 1 << 16
            try Epitaph.setLimits(limits)
            let now = try #require(Epitaph.limits)
            #expect(now.crashingStackBytes == 4096 && now.stopTimeout == .milliseconds(50))
            #expect(now.otherStackBytes == 256 << 10)
            #expect(now.allMemoryBytes == 1 << 16)
            #expect(now.registeredMemoryBytes == limits.registeredMemoryBytes)
        }
    }

    @Test("A signal can be given up and taken; one that cannot be handled is refused in words")
    func signals() throws {
        try withReporter { reporter in
            #expect(try kernelHandles(SIGUSR2))
            try Epitaph.stopHandling(.sigusr2)
            #expect(try !kernelHandles(SIGUSR2))
            try Epitaph.startHandling(.sigusr2)
            #expect(try kernelHandles(SIGUSR2))
            // The program's own action, which is the default one.
            #expect(!isHandled(SIGUSR2))
            #expect(Epitaph.displacedSignals == [])
            let refusal = #expect(throws: Refusal.self) { try Epitaph.startHandling(.sigkill) }
            #expect(refusal?.kind == .impossible)
            #expect(
                refusal?.description
                    == "SIGKILL cannot be handled, or the program ignores it")
        }
        #expect(try !kernelHandles(SIGUSR2))
    }

    @Test(
        "A handler that the program installs later leaves Epitaph's in place, and stays after the stop"
    )
    func later() throws {
        defer { signal(SIGUSR2, SIG_DFL) }
        try withReporter { _ in
            signal(SIGUSR2) { _ in }
            #expect(isHandled(SIGUSR2))
            #expect(Epitaph.displacedSignals == [])
        }
        #expect(isHandled(SIGUSR2))
    }

    @Test("What libc itself is told displaces Epitaph's handler with virtual actions too")
    func unseen() throws {
        typealias Change =
            @convention(c) (
                Int32, UnsafePointer<sigaction>?, UnsafeMutablePointer<sigaction>?
            ) -> Int32
        let libc = try #require(dlopen("libc.so.6", RTLD_NOW))
        defer { dlclose(libc) }
        let change = unsafeBitCast(try #require(dlsym(libc, "sigaction")), to: Change.self)
        var other = sigaction()
        other.__sigaction_handler.sa_handler = { _ in }
        try withReporter { _ in
            #expect(change(SIGUSR2, &other, nil) == 0)
            #expect(Epitaph.displacedSignals == [.sigusr2])
            #expect(Epitaph.retakeDisplacedHandlers() == 1)
            #expect(Epitaph.displacedSignals == [])
        }
        signal(SIGUSR2, SIG_DFL)
    }

    @Test("Without virtual actions a displaced handler is found and taken back")
    func displaced() throws {
        try withReporter(virtualActions: false) { reporter in
            signal(SIGUSR2, SIG_DFL)
            #expect(Epitaph.displacedSignals == [.sigusr2])
            #expect(Epitaph.retakeDisplacedHandlers() == 1)
            #expect(Epitaph.displacedSignals == [])
            #expect(isHandled(SIGUSR2))
        }
    }

    @Test("Memory that cannot be registered is refused in words")
    func memory() throws {
        try withReporter { reporter in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 8)
            defer { bytes.deallocate() }
            let pieces = (0...64).map { UnsafeRawBufferPointer(rebasing: bytes[$0...$0]) }
            for piece in pieces.prefix(64) { try Epitaph.registerMemory(piece) }
            let full = #expect(throws: Refusal.self) { try Epitaph.registerMemory(pieces[64]) }
            #expect(full?.kind == .limitReached)
            #expect(full?.description.hasPrefix("64 ranges of memory are registered") == true)
            for piece in pieces.prefix(64) {
                try Epitaph.unregisterMemory(at: #require(piece.baseAddress))
            }
            let empty = #expect(throws: Refusal.self) {
                try Epitaph.registerMemory(UnsafeRawBufferPointer(start: nil, count: 0))
            }
            #expect(empty?.kind == .invalidArgument)
            #expect(empty?.description == "there are no bytes to register")
        }
    }

    @Test("Last words may be set and taken back")
    func lastWords() throws {
        try withReporter { reporter in
            Epitaph.setLastWords("goodbye")
            Epitaph.setLastWords(nil)
        }
    }
}
