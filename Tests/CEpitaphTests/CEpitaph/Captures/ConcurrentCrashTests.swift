// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
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

    @Test("A process that is sent more signals while it dies of the first leaves one report")
    func sentMany() throws {
        for _ in 0..<10 {
            // Of two that wait for the process the kernel delivers the lower number first.
            try Dummy("sent-many", threads: 20).expectReport(signals: [SIGSEGV, SIGABRT])
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

    @Test("A child of vfork and its parent that crash at the same moment both have a whole report")
    func vforkTogether() throws {
        // The child may outlive its parent, whose process group goes with it. It makes its file only
        // when its turn comes, so no file of its own yet does not mean that it is done.
        let script = """
            "$@"
            status=$?
            for i in $(seq 200); do
                dumps=$(compgen -G "$2/pending-dumps/*")
                [[ $(wc -l <<<"$dumps") == 2 && $dumps != *.locked* ]] && exit $status
                sleep 0.1
            done
            """
        for _ in 0..<10 {
            let run = try Dummy(
                "with-vfork-child", threads: 2, prefix: ["bash", "-c", script, "bash"])
            #expect(run.result.ending == .exited(128 + SIGABRT))
            let dumps = try run.sealed.map { try IntermediateDump($0) }
            #expect(Set(dumps.compactMap { $0.snapshot.exception?.signal }) == [SIGSEGV, SIGABRT])
            #expect(dumps.allSatisfy { $0.isComplete })
        }
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
