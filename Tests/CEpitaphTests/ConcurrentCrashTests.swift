// SPDX-License-Identifier: Apache-2.0

import Foundation
import IntermediateDump
import Snapshot
import TestSupport
import Testing

@Suite struct ConcurrentCrashTests {
    static let signals: Set<Int32> = [SIGSEGV, SIGABRT, SIGILL]

    @Test(
        "Threads that crash at once make one report, and the process dies of the crash in it",
        arguments: [("two-at-once", 3), ("hundred-at-once", 101)])
    func atOnce(_ way: String, _ threads: Int) throws {
        for _ in 0..<20 {
            let snapshot = try Dummy(way, ["patient"]).expectReport(signals: Self.signals)
            #expect(snapshot.threads.count == threads)
        }
    }

    @Test("A crash while other threads fork is captured once, and the children's end is theirs")
    func besideFork() throws {
        for _ in 0..<testRounds {
            try Dummy("beside-fork").expectReport(signals: [SIGSEGV])
        }
    }

    @Test("A crash in a child of vfork is its own report, and its parent's crash another")
    func vfork() throws {
        let run = try Dummy("vfork-child", threads: 2)
        #expect(run.result.ending == .signalled(SIGABRT))
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        #expect(Set(snapshots.compactMap { $0.exception?.signal }) == [SIGSEGV, SIGABRT])
        let parent = try #require(snapshots.first { $0.process.id == run.result.processID })
        #expect(parent.exception?.signal == SIGABRT)
        #expect(parent.threads.count == 3)
    }

    @Test("A crash on a tiny stack in a child of vfork leaves the emergency stack to its parent")
    func vforkOnTinyStack() throws {
        let run = try Dummy("vfork-child-on-tiny-stack")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        #expect(snapshots.count == 2)
        #expect(snapshots.allSatisfy { $0.crashingThread?.stack != nil })
    }
}
