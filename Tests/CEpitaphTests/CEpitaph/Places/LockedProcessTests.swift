// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The capture takes no lock, so it does not matter which locks are held.
@Suite struct LockedProcessTests {
    @Test(
        "A crash while the crashing thread holds a lock of libc is captured",
        arguments: [
            ("in-malloc", SIGSEGV), ("abort-in-malloc", SIGABRT), ("with-stdio", SIGSEGV),
            ("with-loader", SIGSEGV), ("in-thread-list", SIGSEGV),
        ])
    func ownLock(_ way: String, _ signal: Int32) throws {
        for _ in 0..<testRounds {
            try Dummy(way).expectReport(signals: [signal])
        }
    }

    @Test(
        "A crash while another thread holds a lock of libc is captured, with that thread",
        arguments: ["beside-malloc", "beside-stdio", "beside-loader"])
    func otherLock(_ way: String) throws {
        for _ in 0..<testRounds {
            let snapshot = try Dummy(way, ["patient"]).expectReport(signals: [SIGSEGV])
            #expect(snapshot.threads.count >= 2)
            #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
        }
    }

    @Test("A crash while threads come and go, with the lock of their list, is captured")
    func threadList() throws {
        for _ in 0..<testRounds {
            let snapshot = try Dummy("beside-thread-list").expectReport(signals: [SIGSEGV])
            // Some that create others besides the crashing thread, whatever the others are doing.
            let complete = snapshot.threads.filter { $0.completeness == .complete }
            #expect(complete.count >= 2)
            #expect(
                snapshot.threads.allSatisfy {
                    $0.completeness == .complete || $0.whyIncomplete != nil
                })
        }
    }

    @Test("A crash in the constructor of a library that is being loaded is captured")
    func constructor() throws {
        let directory = try TemporaryDirectory()
        let library = directory.path("libconstructor.so")
        let source = "__attribute__((constructor)) void begin(void) { *(volatile int *)16 = 1; }\n"
        try directory.write(Array(source.utf8), to: "constructor.c")
        let compiled = try Subprocess.run([
            "gcc", "-shared", "-fPIC", "-w", "-o", library, directory.path("constructor.c"),
        ])
        try #require(compiled.ending == .exited(0), "\(compiled.standardError)")
        for _ in 0..<testRounds {
            let run = try Dummy("in-dlopen", environment: ["CRASH_DUMMY_LIBRARY": library])
            let snapshot = try run.expectReport(signals: [SIGSEGV])
            let module = try #require(snapshot.modules.first { $0.path == library })
            let pointer = try #require(snapshot.crashingThread?.registers).instructionPointer
            #expect(module.addressRange.contains(pointer))
        }
    }

    @Test(
        "A crash with a lock of the Swift runtime held is captured",
        arguments: ["beside-metadata", "in-metadata", "in-initialiser"])
    func swiftRuntime(_ way: String) throws {
        for _ in 0..<testRounds {
            try Dummy(way, victim: .swift)
                .expectReport(signals: [SIGSEGV, SIGILL, SIGTRAP])
        }
    }
}
