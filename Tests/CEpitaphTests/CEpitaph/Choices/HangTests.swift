// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct HangTests {
    private func run(_ way: String) throws -> Dummy {
        let run = try Dummy(way, deadlineSeconds: 120)
        #expect(run.result.ending == .exited(0), "\(run.result.standardOutput)")
        return run
    }

    /// The files a process leaves besides the one that it was armed with.
    private func lockedDumps(of run: Dummy) throws -> [ProcessSnapshot] {
        let folder = run.directory.path("db/pending-dumps/")
        return try run.filesOfLaunches.filter { $0.hasSuffix(".locked") }.compactMap { name in
            let bytes = FileManager.default.contents(atPath: folder + name) ?? Data()
            let dump = try IntermediateDump(ByteSlice(Array(bytes)))
            guard case .crash(let snapshot) = dump.contents else { return nil }
            return snapshot
        }
    }

    @Test("A hang that ends leaves nothing")
    func recovered() throws {
        let run = try run("hang-recover")
        #expect(run.result.standardOutput == "work began, dumped\nwork ended\n")
        #expect(run.sealed.isEmpty)
        #expect(try lockedDumps(of: run).isEmpty)
    }

    @Test("By choice it leaves a report that says that it is over, and how long it was")
    func recoveredKept() throws {
        let run = try run("hang-recover-kept")
        #expect(run.result.standardOutput == "work began, dumped\nwork ended, dumped\n")
        let dump = try run.dump()
        #expect(dump.isComplete && dump.snapshot.kind == .recoveredHang)
        let request = try #require(dump.snapshot.request)
        #expect(request.durationNanoseconds ?? 0 >= 1_000_000_000)
        #expect(request.subjectName == "work" && !request.isProvisional)
        #expect(dump.snapshot.subjectThread?.name == "working")
        #expect(dump.snapshot.threads.contains { $0.name == "epitaph-hangs" })
    }

    @Test("Who holds the lock is named also where the stuck thread could not be stopped")
    func timedLock() throws {
        let run = try run("hang-timed-lock")
        let snapshot = try run.dump().snapshot
        let subject = try #require(snapshot.subjectThread)
        #expect(subject.name == "working" && subject.completeness == .partial)
        #expect(subject.futexArguments.count == 3)
        let folder = run.directory.path("db/pending-dumps/")
        let dump = try #require(run.files.first { !$0.hasSuffix(".locked") })
        let report = run.directory.path("report.dmp")
        let converted = try Subprocess.run([
            Products.executable("dump-convert"), "convert", folder + dump, "-o", report,
        ])
        #expect(converted.ending == .exited(0), "\(converted.standardError)")
        // Of the dump, and of the minidump that is kept of it.
        for path in [folder + dump, report] {
            let shown = try Subprocess.run([Products.executable("dump-convert"), "show", path])
            let holder = "a lock that thread \(run.result.processID) \"holding\" has"
            #expect(shown.standardOutput.contains(holder), "\(shown.standardOutput)")
        }
    }

    @Test("A process that dies while it hangs leaves the dump, which begins with the stuck thread")
    func killed() throws {
        let run = try Dummy("hang-killed", deadlineSeconds: 120)
        #expect(run.result.ending == .signalled(SIGKILL))
        #expect(run.sealed.isEmpty)
        let snapshot = try #require(try lockedDumps(of: run).first)
        #expect(snapshot.kind == .hang)
        let subject = try #require(snapshot.subjectThread)
        #expect(subject.name == "working" && subject.completeness == .complete)
        #expect(snapshot.threads.first?.id == subject.id)
    }

    @Test("A process that crashes while it hangs leaves a report of either")
    func crashed() throws {
        let run = try Dummy("hang-crash", deadlineSeconds: 120)
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(try run.dump().snapshot.kind == .crash)
        let database = ["--database", run.directory.path("db")]
        let tool = Products.executable("dump-convert")
        _ = try Subprocess.run([tool, "process"] + database, deadlineSeconds: 120)
        let listed = try Subprocess.run([tool, "list"] + database).standardOutput
        #expect(listed.split(separator: "\n").count == 3, "\(listed)")
        #expect(listed.contains(" hang ") && listed.contains(" SIGABRT "), "\(listed)")
    }

    @Test("One that lasts becomes a report while the process lives on")
    func long() throws {
        let run = try run("hang-long")
        #expect(
            run.result.standardOutput
                == "work began, dumped\nwork reported, dumped\nwork ended, dumped\n")
        let snapshot = try run.dump().snapshot
        #expect(snapshot.kind == .hang)
        #expect(snapshot.request?.durationNanoseconds ?? 0 >= 2_000_000_000)
    }

    @Test("Beyond the limit of dumps an hour hangs are told and not captured")
    func limit() throws {
        let run = try run("hang-twice")
        #expect(
            run.result.standardOutput
                == "work began, dumped\nwork ended\nwork began\nwork ended\n")
        #expect(run.sealed.isEmpty)
    }

    @Test("What hangs when Epitaph is stopped becomes a report")
    func stopped() throws {
        let run = try run("hang-stop")
        #expect(try run.dump().snapshot.kind == .hang)
    }

    @Test(
        "There is no alarm while there is nothing to do, nor when the process was stopped",
        arguments: [("hang-resting", "rested\n"), ("hang-stopped", "continued\n")])
    func noAlarm(_ way: String, _ output: String) throws {
        let run = try run(way)
        #expect(run.result.standardOutput == output)
        #expect(run.sealed.isEmpty)
    }

    @Test("A question without an answer is a hang, and a heartbeat that has ended is none")
    func question() throws {
        let run = try run("hang-question")
        #expect(run.result.standardOutput == "asked\nqueue began, dumped\nqueue ended\n")
    }

    @Test("A forked child watches what it registers itself, and nothing of its parent's")
    func child() throws {
        let run = try run("hang-child")
        #expect(run.result.standardOutput == "child began, dumped\nchild: 0\n")
    }
}
