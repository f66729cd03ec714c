// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Several processes with one directory of dumps.
@Suite struct SharedDirectoryTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var files: [String] { Dummy.files(in: directory.path("db")) }

    private func sweep(
        _ clock: any WallClock = SystemWallClock(), own: String? = nil
    ) throws -> SweepSummary {
        var options = DumpSweep.Options()
        options.ownBundleID = own
        let database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
        return try DumpSweep(database, clock: clock).run(options)
    }

    /// Starts processes that live until they are killed, and waits until all are armed.
    private func start(_ count: Int, bundles: [String]) throws -> [pid_t] {
        let children = try (0..<count).map { index in
            try Subprocess.spawn(
                [
                    Victim.c.path, directory.path("db"), "wait", "1",
                    "bundle=\(bundles[index % bundles.count])",
                ], output: directory.path("out\(index)"))
        }
        let deadline = Timestamp.now.adding(seconds: 60)
        for index in 0..<count {
            while (try? String(contentsOfFile: directory.path("out\(index)"), encoding: .utf8))
                != "waiting\n", Timestamp.now < deadline
            {
                usleep(2_000)
            }
        }
        return children
    }

    @Test(
        "Twenty processes at once have a file each, and one that crashes takes nobody else's",
        arguments: [["org.example.a"], ["org.example.a", "org.example.b", "org.example"]])
    func twenty(bundles: [String]) throws {
        let children = try start(20, bundles: bundles)
        #expect(files.count == 20)
        #expect(files.allSatisfy { $0.hasSuffix(".locked") })
        let armed = Set(files)
        // Old as well: neither 24 hours nor 60 days count while the lock is held.
        let future = TestClock(Timestamp.now.adding(seconds: 100 * 86_400))
        #expect(try sweep(future, own: bundles[0]).stillAliveCount == 20)

        kill(children[0], SIGSEGV)
        #expect(Subprocess.wait(for: children[0], deadlineSeconds: 30) == .signalled(SIGSEGV))
        let summary = try sweep(own: bundles[0])
        #expect(summary.reportIDs.count == 1)
        #expect(summary.stillAliveCount == 19)
        #expect(Set(files).isSubset(of: armed) && files.count == 19)

        for child in children.dropFirst() { kill(child, SIGKILL) }
        for child in children.dropFirst() {
            #expect(Subprocess.wait(for: child, deadlineSeconds: 30) == .signalled(SIGKILL))
        }
        #expect(try sweep().entries.allSatisfy { $0.outcome == .ended(.killed) })
        #expect(files.isEmpty)
    }

    @Test("Making room at a start takes no file of a living process")
    func roomAmongTheLiving() throws {
        let children = try start(4, bundles: ["org.example.dummy"])
        let armed = Set(files)
        for _ in 0..<3 {
            _ = try Subprocess.run([
                Victim.c.path, directory.path("db"), "null-write", "0", "dumps=1",
            ])
        }
        #expect(armed.isSubset(of: files))
        #expect(files.filter { $0.contains("@") && !$0.hasSuffix(".locked") }.count == 1)
        for child in children {
            kill(child, SIGKILL)
            _ = Subprocess.wait(for: child, deadlineSeconds: 30)
        }
    }
}

extension SweepSummary {
    /// Files whose owners may still run.
    fileprivate var stillAliveCount: Int {
        entries.count { if case .stillAlive = $0.outcome { true } else { false } }
    }
}
