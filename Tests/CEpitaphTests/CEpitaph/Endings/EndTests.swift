// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What processes that end without a crash leave, and what the next launch makes of it.
@Suite struct EndTests {
    private func launch(of run: Dummy) throws -> LaunchRecord {
        let name = try #require(run.filesOfLaunches.first)
        #expect(run.filesOfLaunches.count == 1 && name.hasSuffix(".locked"))
        let data = try #require(FileManager.default.contents(atPath: run.path(name)))
        guard case .launchRecordOnly(let record) = try IntermediateDump(.init(Array(data))).contents
        else {
            throw Dummy.WrongCount(files: run.files, standardError: "more than a launch record")
        }
        return record
    }

    private func sweep(_ run: Dummy) throws -> SweepSummary {
        try DumpSweep(
            ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
        ).run()
    }

    @Test("A process that ends well says so", arguments: ["stop", "exit", "quick-exit"])
    func clean(_ way: String) throws {
        let start = Timestamp.now
        let run = try Dummy(way, threads: 1)
        #expect(run.result.ending == .exited(0))
        let time = try #require(launch(of: run).cleanExitTime)
        // The clock is read in microseconds.
        #expect(time > start.adding(seconds: -1) && time < Timestamp.now.adding(seconds: 1))
        #expect(try sweep(run).entries.map(\.outcome) == [.ended(.cleanly)])
        #expect(Dummy.files(in: run.directory.path("db")).isEmpty)
    }

    @Test(
        "One that is killed, or ends behind Epitaph's back, is told apart; so is one whose child exits",
        arguments: ["sigkill", "_exit", "exec", "exiting-child"])
    func killed(_ way: String) throws {
        let run = try Dummy(way)
        let record = try launch(of: run)
        #expect(record.cleanExitTime == nil)
        #expect(record.processID == run.result.processID)
        #expect(record.bootID != nil && record.startTicks != nil && record.pidNamespace != nil)
        #expect(try sweep(run).entries.map(\.outcome) == [.ended(.killed)])
    }

    @Test("A program that may not read the processor's counter ends well all the same")
    func withoutCounter() throws {
        let run = try Dummy("exit-without-counter")
        #expect(run.result.ending == .exited(3))
        #expect(try launch(of: run).cleanExitTime != nil)
    }

    @Test("A program may say that exit is no clean end")
    func ignoredExit() throws {
        let exit = try Dummy("exit", ["ignores-exit"])
        #expect(try launch(of: exit).cleanExitTime == nil)
        let stop = try Dummy("stop", ["ignores-exit"])
        #expect(try launch(of: stop).cleanExitTime != nil)
    }

    @Test("A crash after the mark is written over it")
    func crashInExit() throws {
        let run = try Dummy("crash-in-exit")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.files.count == 1)
        let dump = try run.dump()
        #expect(dump.isComplete && dump.tree.damage.isEmpty)
        #expect(dump.snapshot.exception?.signal == SIGSEGV)
        #expect(dump.tree.root.keys.contains(.cleanExit) == false)
    }

    @Test(
        "Neither a dump, after the next start, nor a mark nor a dead process keeps blocks it does not need",
        arguments: ["null-write", "exit", "sigkill"])
    func blocks(_ way: String) throws {
        let run = try Dummy(way)
        var status = stat()
        try #require(stat(run.path(run.files[0]), &status) == 0)
        let written = status.st_mtim
        let next = try Subprocess.run([
            Victim.c.path, run.directory.path("db"), "exit", "0",
        ])
        #expect(next.ending == .exited(0))
        try #require(stat(run.path(run.files[0]), &status) == 0)
        // What it holds, rounded up to file system blocks, and some for the file system's own use.
        #expect(status.st_blocks * 512 < status.st_size + 65_536)
        // Age decides what goes when there is too much, so it stays.
        #expect(status.st_mtim.tv_sec == written.tv_sec)
        #expect(status.st_mtim.tv_nsec == written.tv_nsec)
    }

    @Test(
        "Where nothing tells, a real file is given up after 24 hours by its own program, 60 days by any",
        arguments: [
            (true, 23.9, false), (true, 24, true), (false, 1439.9, false), (false, 1440, true),
        ])
    func age(isOwnBundle: Bool, hours: Double, isDead: Bool) throws {
        let record = try launch(of: Dummy("sigkill"))
        // No locks on the file system, and the process counts in another pid namespace.
        let liveness = OwnerEvidence(
            lock: .unavailable, launch: record, processState: .unknown, bootID: record.bootID,
            pidNamespace: (record.pidNamespace ?? 0) &+ 1, ownProcessID: getpid(),
            ageSeconds: hours * 3600, isOwnBundle: isOwnBundle
        ).liveness
        #expect(liveness == (isDead ? .dead : .alive(.cannotTell)))
    }

    @Test("Blocks are set aside while the process lives, where the file system can")
    func reservation() throws {
        let run = try Dummy("sigkill")
        var status = stat()
        try #require(stat(run.path(run.files[0]), &status) == 0)
        #expect(status.st_blocks * 512 >= 1 << 20)
        // The head alone counts to the file's length: what is behind it was not written.
        #expect(status.st_size == 65536)
    }
}

extension Dummy {
    /// The path of a file in pending-dumps.
    func path(_ name: String) -> String {
        directory.path("db/pending-dumps/" + name)
    }
}
