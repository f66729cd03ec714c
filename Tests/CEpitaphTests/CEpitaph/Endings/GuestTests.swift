// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What a program does to descriptors, files and filters of which it knows nothing. The whole
/// matrix is in Scripts/compare-endings.
@Suite struct GuestTests {
    @Test(
        "A crash is reported though the program has closed every descriptor and opened its own",
        arguments: [("null-write", SIGSEGV), ("abort", SIGABRT)])
    func closedDescriptors(_ way: String, _ signal: Int32) throws {
        let run = try Dummy(way, threads: 2, ["settled", "closed-all"])
        #expect(run.result.ending == .signalled(signal))
        try run.expectReport(signals: [signal])
        let own = try Data(contentsOf: URL(fileURLWithPath: run.directory.path("db/own")))
        #expect(own.isEmpty)
    }

    @Test("A crash is reported though somebody has removed the armed file")
    func removedFile() throws {
        let run = try Dummy("null-write", threads: 2, ["settled", "no-armed-file"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        try run.expectReport(signals: [SIGSEGV])
    }

    @Test(
        "A process whose armed file somebody has emptied ends well, and nothing says otherwise",
        arguments: ["exit", "quick-exit", "stop"])
    func emptiedFile(_ way: String) throws {
        let run = try Dummy(way, threads: 1, ["empty-armed-file", "checks-state"])
        #expect(run.result.ending == .exited(0))
        // What runs after our exit handler finds the thread as it was before.
        let isToldOf = run.result.standardOutput.contains("mask and stack are as before")
        #expect(isToldOf == (way != "quick-exit"))
        #expect(run.sealed.isEmpty)
    }

    @Test(
        "A crash is reported though somebody has emptied the armed file",
        arguments: [("null-write", SIGSEGV), ("abort", SIGABRT)])
    func crashWithEmptiedFile(_ way: String, _ signal: Int32) throws {
        let run = try Dummy(way, threads: 2, ["settled", "empty-armed-file"])
        #expect(run.result.ending == .signalled(signal))
        try run.expectReport(signals: [signal])
        #expect(run.files.count == 1)
    }

    /// In the head of the armed file, which stays locked: its name may not be changed.
    private func stored(_ run: Dummy) throws -> ProcessSnapshot {
        let name = try #require(run.files.first)
        #expect(run.files.count == 1 && name.hasSuffix(".locked"))
        let bytes = try Data(
            contentsOf: URL(fileURLWithPath: run.directory.path("db/pending-dumps/" + name)))
        #expect(bytes.count == 65536)
        return try IntermediateDump(ByteSlice(Array(bytes))).snapshot
    }

    @Test(
        "Under a filter the program installed a crash is stored, and the death is its own",
        arguments: ["kill", "eperm"], [("null-write", SIGSEGV), ("abort", SIGABRT)])
    func filtered(_ filter: String, _ death: (way: String, signal: Int32)) throws {
        let run = try Dummy(death.way, threads: 2, ["settled", "strict", filter])
        #expect(run.result.ending == .signalled(death.signal))
        let snapshot = try stored(run)
        #expect(snapshot.exception?.signal == death.signal)
        #expect(snapshot.exception?.registers != nil)
        #expect(snapshot.modules.first?.kind == .executable)
        #expect(snapshot.modules.contains { $0.path.contains("libc.so") })
        #expect(snapshot.crashingThread?.stack?.bytes.isEmpty == false)
        #expect(snapshot.annotations.contains { $0.name == "colour" && $0.value == "blue" })
        #expect(
            snapshot.damage.contains { $0.sentence.contains("a seccomp filter of the program") })
    }

    @Test(
        "A clean end tells that handlers had displaced ours",
        arguments: ["displaced-stop", "displaced-exit"])
    func displacedAtTheEnd(_ way: String) throws {
        let run = try Dummy(way)
        #expect(run.result.ending == .exited(0))
        let name = try #require(run.files.first)
        let bytes = try Data(
            contentsOf: URL(fileURLWithPath: run.directory.path("db/pending-dumps/" + name)))
        let launch = try IntermediateDump(ByteSlice(Array(bytes))).snapshot.launch
        #expect(launch?.cleanExitTime != nil)
        #expect(launch?.displacedHandlers.map(\.signal) == [SIGBUS])
    }

    @Test("A crash that the program's own handler ends is told of once")
    func toldOnce() throws {
        let run = try Dummy("null-write", threads: 0, ["handler"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let database = try ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
        let summary = try DumpSweep(database).run()
        #expect(summary.entries.count == 1 && summary.reportIDs.count == 1)
    }
}
