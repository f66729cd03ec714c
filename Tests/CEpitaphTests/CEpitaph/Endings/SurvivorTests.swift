// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Faults that go to a handler of the program: a crash only if the process dies of them.
@Suite struct SurvivorTests {
    private func run(_ way: String) throws -> Dummy {
        try Dummy(way, ["virtual"])
    }

    /// What a sweep makes of the files of a run.
    private func outcomes(_ run: Dummy) throws -> [DumpOutcome] {
        let database = try ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
        return try DumpSweep(database).run().entries.map(\.outcome)
    }

    @Test(
        "A program that repaired its faults leaves no report, however it ends",
        arguments: [
            ("mend-and-exit", LaunchEnd.cleanly), ("mend-and-be-killed", .killed),
            ("mend-on-threads-and-be-killed", .killed), ("leave-and-terminate", .killed),
            ("leave-and-exit", .cleanly), ("leave-beside-and-exit", .cleanly),
            ("leave-unmasked-beside-and-exit", .cleanly), ("leave-on-its-way-and-exit", .cleanly),
        ])
    func repaired(way: String, end: LaunchEnd) throws {
        let run = try run(way)
        #expect(run.result.ending == (end == .cleanly ? .exited(0) : .signalled(SIGKILL)))
        #expect(run.files.count == 1)
        #expect(try run.crashes.isEmpty)
        #expect(try outcomes(run) == [.ended(end)])
    }

    @Test(
        "A crash after repaired faults is the only one, and is whole",
        arguments: [
            "mend-and-abort", "leave-beside-and-abort", "leave-unmasked-beside-and-abort",
        ])
    func later(way: String) throws {
        let run = try run(way)
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(run.files.count == 1 && run.sealed.count == 1)
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == SIGABRT)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
    }

    @Test("Faults of a thread with the thread pointer of one that aborts leave that crash alone")
    func reader() throws {
        let run = try run("abort-beside-reader")
        #expect(run.result.ending == .signalled(SIGABRT))
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == SIGABRT)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
    }

    @Test(
        "An abort whose handler lets another thread end the process is one crash, of that abort",
        arguments: ["abort-and-end-from-other-thread", "abort-and-abort-from-other-thread"])
    func endedFromOtherThread(way: String) throws {
        let run = try run(way)
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(run.files.count == 1)
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.threadID == snapshot.process.id.map(UInt64.init))
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
    }

    @Test(
        "A process that dies in its handler has crashed, of the fault that the handler got",
        arguments: [
            ("exit-in-handler", Subprocess.Ending.exited(SIGSEGV)),
            ("underscore-exit-in-handler", .exited(SIGSEGV)),
            ("abort-in-handler", .signalled(SIGABRT)),
            ("fault-in-handler", .signalled(SIGSEGV)),
            ("mend-nothing-and-be-killed", .signalled(SIGALRM)),
        ])
    func deadly(way: String, ending: Subprocess.Ending) throws {
        let run = try run(way)
        #expect(run.result.ending == ending)
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == SIGSEGV)
        #expect(snapshot.exception?.address == 16)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
        let outcomes = try outcomes(run)
        #expect(outcomes.count == 1)
        guard case .converted = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test("A fault at a place where others were repaired has a whole report if it is deadly")
    func usualPlace() throws {
        let run = try run("mend-then-abort-in-handler")
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(run.files.count == 1)
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == SIGSEGV)
        #expect(snapshot.crashingThread?.stack != nil)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
    }
}
