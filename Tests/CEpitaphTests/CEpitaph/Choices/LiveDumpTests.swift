// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LiveDumpTests {
    @Test("Thirty dumps at once are all made, and no system call of another thread is interrupted")
    func manyAtOnce() throws {
        let run = try Dummy("live-dumps")
        #expect(run.result.ending == .exited(0))
        #expect(run.result.standardOutput == "0 interrupted, 0 failed\n")
        #expect(run.sealed.count == 30)
        for bytes in run.sealed {
            let dump = try IntermediateDump(bytes)
            #expect(dump.isComplete)
            let snapshot = dump.snapshot
            #expect(snapshot.exception == nil)
            let names = snapshot.threads.compactMap(\.name)
            #expect(names.contains("polling") && names.contains("spinning"))
            #expect(snapshot.threads.first?.name == "dumping")
            #expect(snapshot.modules.first?.kind == .executable)
            #expect(snapshot.capture?.pauseNanoseconds != nil)
        }
    }

    @Test("A thread that cannot be stopped without harm is there with what the kernel tells")
    func leftRunning() throws {
        let run = try Dummy("live-dumps")
        // On a busy machine no thread may be asleep yet in the first dumps.
        let found = try run.sealed.map { try IntermediateDump($0).snapshot }
            .compactMap { snapshot in
                snapshot.threads.first { $0.completeness == .partial && $0.name != nil }
                    .map { (snapshot: snapshot, asleep: $0) }
            }.first
        let (snapshot, asleep) = try #require(found)
        #expect(
            asleep.whyIncomplete == "stopping the thread would have interrupted its system call")
        #expect(asleep.registers != nil && asleep.stack != nil)
        #expect(snapshot.threads.contains { $0.name == "spinning" && $0.completeness == .complete })
    }

    @Test(
        "A signal of the program's that waits as ours comes is the program's when it takes it",
        arguments: [("live-beside-own-signal", 1), ("survive-beside-own-signal", 0)])
    func besideOwnSignal(way: String, dumps: Int) throws {
        let run = try Dummy(way, ["virtual"])
        #expect(run.result.standardOutput == "0 while blocked, 1 then\n")
        #expect(run.sealed.count == dumps)
    }

    @Test("What a process becomes by execve during a live dump gets no signal of ours")
    func beforeExecution() throws {
        for _ in 0..<20 {
            #expect(try Dummy("execute-beside-live-dumps").result.ending == .exited(0))
        }
    }

    @Test("A live dump has the program's words")
    func words() throws {
        let run = try Dummy("live-then-crash")
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        let alive = try #require(snapshots.first { $0.exception == nil })
        #expect(
            alive.messages == [
                CrashMessage(source: "app", text: "words of a program that lives on")
            ])
    }

    @Test("A crash after a live dump is a report of its own")
    func thenCrash() throws {
        let run = try Dummy("live-then-crash", threads: 1)
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.sealed.count == 2)
        let signals = try run.sealed.map { try IntermediateDump($0).snapshot.exception?.signal }
        #expect(Set(signals) == [nil, SIGSEGV])
    }

    @Test("A dump at a path can be thrown away or promoted, and never overwrites")
    func atPaths() throws {
        let work = try TemporaryDirectory()
        let script = "cd \"$0\" && exec \"$@\""
        let result = try Subprocess.run([
            "bash", "-c", script, work.path, Victim.c.path, work.path("db"),
            "live-at-paths",
        ])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(
            result.standardOutput == """
                cannot write a live dump to kept.dump: File exists
                cannot move no-such.dump to the pending dumps: No such file or directory

                """)
        let pending = Dummy.files(in: work.path("db")).filter { !$0.hasSuffix(".locked") }
        #expect(pending.count == 1)
        #expect(!FileManager.default.fileExists(atPath: work.path("kept.dump")))
        let data = try #require(FileManager.default.contents(atPath: work.path("thrown-away.dump")))
        #expect(try IntermediateDump(.init(Array(data))).isComplete)
    }
}
