// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Forked children of a process that may give up its rights:
/// docs/decisions/workers-of-another-user.md.
@Suite(.enabled(if: getuid() == 0, "only root can become another user"))
struct WorkerTests {
    /// The signals of all crashes that are in the database's files, sealed or not.
    private func crashes(_ run: Dummy) throws -> [Int32] {
        try run.files.compactMap { name -> Int32? in
            let data = try #require(FileManager.default.contents(atPath: run.path(name)))
            guard case .crash(let snapshot) = try IntermediateDump(.init(Array(data))).contents
            else { return nil }
            return snapshot.exception?.signal
        }.sorted()
    }

    private func sweep(_ run: Dummy) throws -> SweepSummary {
        try DumpSweep(
            ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
        ).run()
    }

    private func isHandedOut(_ name: String) -> Bool {
        DumpName(name)?.isHandedOut == true
    }

    @Test("A worker can write to no dump but its own, and learns nothing of the directory")
    func forging() throws {
        let run = try Dummy("forging-worker", threads: 1)
        #expect(run.result.standardOutput.isEmpty)
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try crashes(run) == [SIGSEGV])
        let summary = try sweep(run)
        #expect(summary.reportIDs.count == 1 && summary.endedWithoutCrashCount == 0)
        #expect(Dummy.files(in: run.directory.path("db")).isEmpty)
    }

    @Test(
        "A worker of another user leaves a report in root's database, and its parent another",
        arguments: [
            "lost-worker", "lost-worker-closed", "lost-worker-in-root", "daemon-and-worker",
        ]
    )
    func lostWorker(_ way: String) throws {
        let run = try Dummy(way)
        #expect(try crashes(run) == [SIGABRT, SIGSEGV].sorted())
        let names = Dummy.files(in: run.directory.path("db"))
        let summary = try sweep(run)
        // The worker's file kept its ending, because the worker may not rename it in root's
        // directory.
        #expect(names.contains { $0.hasSuffix(".locked") })
        #expect(summary.reportIDs.count == 2 && summary.problems.isEmpty)
        // The id comes from the file's name, whatever a worker writes.
        #expect(Set(summary.reportIDs).isSubset(of: Set(names.compactMap { DumpName($0)?.uuid })))
        #expect(Dummy.files(in: run.directory.path("db")).isEmpty)
    }

    @Test(
        "A process that gave up its rights lacks no file of /proc in its dump",
        arguments: ["abort-as-nobody", "lost-worker"])
    func kernelFiles(_ way: String) throws {
        let run = try Dummy(way)
        let snapshots = try run.files.map { name in
            let data = try #require(FileManager.default.contents(atPath: run.path(name)))
            return try IntermediateDump(.init(Array(data))).snapshot
        }
        let snapshot = try #require(snapshots.first { $0.exception?.signal == SIGABRT })
        #expect(snapshot.files.maps != nil && snapshot.files.status != nil)
        #expect(snapshot.files.limits != nil)
        // Pairs of words, the last of which are zeros: getauxval(3).
        let auxv = try #require(snapshot.files.auxv)
        #expect(auxv.count > 16 && auxv.count % 16 == 0)
        #expect(auxv.array.suffix(16) == Array(repeating: 0, count: 16)[...])
        #expect(snapshot.damage.isEmpty)
    }

    @Test("A daemon that gave up its rights before it forked reports in its parent's file")
    func heir() throws {
        let run = try Dummy("lost-heir")
        #expect(run.result.ending == .exited(0))
        // The daemon may live a little longer than its parent; until it ends its file is not
        // abandoned.
        let deadline = Timestamp.now.adding(seconds: 30)
        var summary = try sweep(run)
        while summary.reportIDs.isEmpty, Timestamp.now < deadline {
            #expect(summary.endedWithoutCrashCount == 0)
            usleep(10_000)
            summary = try sweep(run)
        }
        #expect(summary.reportIDs.count == 1)
        #expect(Dummy.files(in: run.directory.path("db")).isEmpty)
    }

    @Test("A crash of its parent is reported while an heir lives")
    func heirOutlives() throws {
        let run = try Dummy("crash-before-heir")
        defer { kill(-run.result.processID, SIGKILL) }
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(try sweep(run).reportIDs.count == 1)
    }

    @Test("The dumps of workers that crash one after the other are sealed by their parent")
    func lostWorkers() throws {
        let run = try Dummy("lost-workers")
        #expect(run.result.ending == .exited(0))
        #expect(try crashes(run) == Array(repeating: SIGABRT, count: 6))
        #expect(run.files.filter { isHandedOut($0) && !$0.hasSuffix(".locked") }.count >= 4)
        #expect(try sweep(run).reportIDs.count == 6)
    }

    @Test("Workers that crash in a loop write no more dumps than may wait")
    func cap() throws {
        let run = try Dummy("lost-workers", ["dumps=3"])
        // One more, which was under way before the count of the sealed ones had come so far.
        #expect(try (3...4).contains(crashes(run).count))
    }

    @Test("Children that end leave no files behind, and nothing is told of their ends")
    func manyChildren() throws {
        let run = try Dummy("many-children")
        #expect(run.result.ending == .exited(0))
        // Its own, and those of the last ones.
        #expect(run.files.count <= 4)
        #expect(try sweep(run).entries.map(\.outcome) == [.ended(.killed)])
        #expect(Dummy.files(in: run.directory.path("db")).isEmpty)
    }

    @Test("The next start removes the files of children that ended, and tells of none")
    func nextStart() throws {
        let run = try Dummy("many-children")
        #expect(run.files.contains { isHandedOut($0) })
        _ = try Subprocess.run([
            Victim.c.path, run.directory.path("db"), "exit", "0",
        ])
        #expect(!Dummy.files(in: run.directory.path("db")).contains { isHandedOut($0) })
    }

    @Test("A child has a file of its own, and takes it away when it stops Epitaph")
    func stopInChild() throws {
        let run = try Dummy("stop-in-child")
        #expect(run.result.ending == .exited(0))
        #expect(run.files.count == 1 && !isHandedOut(run.files[0]))
    }

    @Test("Under a filter the program installed a fork makes no call of ours that could end it")
    func filteredFork() throws {
        let run = try Dummy("fork-under-filter")
        #expect(run.result.ending == .exited(5))
        #expect(run.files.count == 1)
    }

    @Test(
        "A fork goes well where no file can be made for the child",
        arguments: ["fork-under-size-limit", "fork-without-descriptors"])
    func refusedFork(_ way: String) throws {
        let run = try Dummy(way)
        #expect(run.result.ending == .exited(5))
        #expect(run.result.standardError.isEmpty)
    }

    @Test("Children of a user who is not root get no files")
    func unprivileged() throws {
        let directory = try TemporaryDirectory()
        try #require(chmod(directory.path(""), 0o777) == 0)
        let run = try Subprocess.run([
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            Victim.c.path, directory.path("db"), "exiting-child", "0",
        ])
        #expect(run.ending == .signalled(SIGKILL))
        #expect(Dummy.files(in: directory.path("db")).count == 1)
    }

    // MARK: Another user's database

    /// A database directory that belongs to the user `nobody`.
    private func otherDatabase() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("db"), withIntermediateDirectories: false)
        try #require(chown(directory.path("db"), 65534, 65534) == 0)
        return directory
    }

    private func owners(under path: String) throws -> Set<uid_t> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        return try Set(
            names.map { name in
                var status = stat()
                try #require(lstat(path + "/" + name, &status) == 0)
                return status.st_uid
            })
    }

    @Test(
        "What root makes in another user's database is that user's",
        arguments: ["null-write", "exit", "forked-child", "lost-worker", "live-dumps"])
    func otherOwner(_ way: String) throws {
        let directory = try otherDatabase()
        for _ in 0..<4 {
            _ = try Subprocess.run([
                Victim.c.path, directory.path("db"), way, "0", "dumps=1",
            ])
        }
        #expect(Dummy.files(in: directory.path("db")).count > 0)
        #expect(try owners(under: directory.path("db")) == [65534])
    }

    @Test("A directory that an earlier start of root's left in another user's database becomes his")
    func repaired() throws {
        let directory = try otherDatabase()
        let pending = directory.path("db/pending-dumps")
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: false)
        _ = try Subprocess.run([Victim.c.path, directory.path("db"), "exit", "0"])
        #expect(try owners(under: directory.path("db")) == [65534])
    }

    /// Starts with the database at `path`, and ends well.
    private func start(_ path: String) throws -> Subprocess {
        try Subprocess.run([Victim.c.path, path, "exit", "0"])
    }

    @Test("Root follows another user's link to his own database, and to no other directory")
    func links() throws {
        let directory = try otherDatabase()
        let own = directory.path("own")
        let led = directory.path("led")
        let roots = directory.path("roots")
        try FileManager.default.createDirectory(
            atPath: directory.path("etc"), withIntermediateDirectories: false)
        for (link, target) in [(own, "db"), (led, directory.path("etc")), (roots, "etc")] {
            try #require(symlink(target, link) == 0)
            if link != roots { try #require(lchown(link, 65534, 65534) == 0) }
        }
        #expect(try start(own).ending == .exited(0))
        #expect(Dummy.files(in: directory.path("db")).count == 1)
        for path in [led, led + "/new", directory.path("../") + "/" + led] {
            let refused = try start(path)
            #expect(refused.ending != .exited(0))
        }
        #expect(try start(led).standardError.contains("is another user's"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("etc")).isEmpty)
        #expect(try start(roots + "/new/").ending == .exited(0))
        #expect(Dummy.files(in: directory.path("etc/new")).count == 1)
    }

    @Test("Where the count of dropped dumps is to go, another user's traps hold nothing up")
    func traps() throws {
        for trap in ["pipe", "link", "hard link"] {
            let directory = try otherDatabase()
            let words = [
                Victim.c.path, directory.path("db"), "null-write", "0", "dumps=1",
            ]
            _ = try Subprocess.run(words)
            let name = directory.path("db/pending-dumps/org.example.dummy.dropped")
            let target = try directory.write([1, 2, 3], to: "target")
            switch trap {
            case "pipe": try #require(mkfifo(name, 0o666) == 0)
            case "link": try #require(symlink(target, name) == 0)
            default: try #require(link(target, name) == 0)
            }
            let run = try Subprocess.run(words, deadlineSeconds: 20)
            #expect(run.ending == .signalled(SIGSEGV), "\(trap)")
            #expect(FileManager.default.contents(atPath: target)?.count == 3, "\(trap)")
        }
    }
}

extension SweepSummary {
    fileprivate var endedWithoutCrashCount: Int {
        entries.count { if case .ended = $0.outcome { true } else { false } }
    }
}
