// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Faults of the handler itself, and captures that take too long.
@Suite struct BrokenCaptureTests {
    /// Runs a null write under strace, which sends SIGBUS when the capture makes `call` for the
    /// `place`th time after the start.
    private func fault(in call: String, at place: Int) throws -> (Dummy, Set<String>) {
        let trace = try TemporaryDirectory()
        let run = try Dummy(
            "null-write", threads: 2,
            prefix: [
                "strace", "-f", "-qq", "-o", trace.path("trace"), "-e",
                "inject=\(call):signal=SIGBUS:when=\(place)",
            ])
        let text = try String(contentsOfFile: trace.path("trace"), encoding: .utf8)
        return (run, Set(text.split(separator: "\n").map(String.init)))
    }

    /// How often the dummy makes `call` before it crashes.
    private func countBeforeCrash(_ call: String) throws -> Int {
        let trace = try TemporaryDirectory()
        _ = try Dummy(
            "null-write", threads: 2, prefix: ["strace", "-f", "-qq", "-o", trace.path("trace")])
        let lines = try String(contentsOfFile: trace.path("trace"), encoding: .utf8)
            .split(separator: "\n").prefix { !$0.contains("--- SIGSEGV {") }
        return lines.count { $0.contains(" \(call)(") }
    }

    @Test(
        "A fault of the handler costs one section, and the report names it",
        arguments: [
            ("process_vm_readv", 1), ("uname", 1), ("getrusage", 1),
            ("openat", 1), ("pwritev", 1), ("pwrite64", 1), ("pwrite64", 2), ("pwrite64", 3),
            ("rt_tgsigqueueinfo", 1),
        ])
    func secondFault(_ call: String, _ place: Int) throws {
        let earlier = try countBeforeCrash(call)
        let (run, trace) = try fault(in: call, at: earlier + place)
        #expect(trace.contains { $0.contains("--- SIGBUS {") }, "the fault did not happen")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let snapshot = dump.snapshot
        #expect(snapshot.exception?.signal == SIGSEGV)
        #expect(snapshot.damage.contains { $0.reason == "the handler itself faulted there" })
        #expect(snapshot.damage.count <= 3, "\(snapshot.damage.map(\.sentence))")
        #expect(snapshot.annotations.count == 3)
        #expect(snapshot.files.cpuinfo != nil)
    }

    @Test("A capture that takes too long is sealed with what is there")
    func watchdog() throws {
        // The thread that sleeps uninterruptibly would be waited for half a minute.
        let run = try Dummy("vforking", threads: 2, ["patient", "hurried"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        #expect(
            dump.snapshot.damage.contains {
                $0.reason == "the deadline for the capture had passed"
            })
        #expect(dump.snapshot.exception?.signal == SIGSEGV)
        #expect(dump.snapshot.crashingThread?.stack != nil)
        #expect(dump.snapshot.modules.first?.kind == .executable)
        #expect((dump.snapshot.capture?.durationNanoseconds ?? .max) < 20_000_000_000)
    }

    @Test("A dump cut before its first section has the modules that the crashing stack points into")
    func modulesOfFirstRecord() throws {
        let run = try Dummy("abort")
        let whole = try run.snapshot()
        let headBytes = try #require(whole.launch?.headBytes)
        let bytes = try #require(run.sealed.first).array.prefix(Int(headBytes))
        let cut = try IntermediateDump(ByteSlice(Array(bytes)))
        #expect(!cut.isComplete)
        #expect(cut.snapshot.modules.first?.kind == .executable)
        let libc = try #require(cut.snapshot.modules.first { $0.name == "libc.so.6" })
        let same = whole.modules.first { $0.name == "libc.so.6" }
        #expect(libc.path == same?.path && libc.buildID == same?.buildID)
        #expect(libc.addressRange == same?.addressRange && libc.loadBias == same?.loadBias)
    }
}
