// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A crash loop must not fill a disk.
@Suite struct PendingCapTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func path(_ name: String) -> String { directory.path("db/pending-dumps/" + name) }
    private var files: [String] { Dummy.files(in: directory.path("db")) }
    private var dumps: [String] { files.filter { $0.contains("@") } }

    /// Runs the dummy `count` times; each run must die with `status`.
    private func loop(
        _ count: Int, _ way: String = "null-write", status: Int32 = 128 + SIGSEGV,
        settings: [String] = []
    ) throws {
        let script = """
            ulimit -c 0
            for i in $(seq \(count)); do
                "$@" 2>/dev/null
                [ $? = \(status) ] || exit 1
            done 2>/dev/null
            """
        let result = try Subprocess.run(
            [
                "bash", "-c", script, "bash", Victim.c.path, directory.path("db"), way,
                "0",
            ]
                + settings)
        #expect(result.ending == .exited(0))
    }

    private var droppedCount: Int {
        files.filter { $0.hasSuffix(".dropped") }.reduce(0) { sum, name in
            sum + (FileManager.default.contents(atPath: path(name))?.count ?? 0)
        }
    }

    private func time(_ name: String) throws -> Timestamp {
        let data = try #require(FileManager.default.contents(atPath: path(name)))
        return try #require(IntermediateDump(.init(Array(data))).snapshot.process.snapshotTime)
    }

    @Test(
        "Of a loop of 500 crashes 50 dumps stay, every crash ends as it should, and all are counted"
    )
    func crashLoop() throws {
        try loop(500)
        #expect(dumps.count == 50)
        #expect(droppedCount == 450)
        #expect(!files.contains { $0.hasSuffix(".locked") })
    }

    @Test("The first and the last crashes of a loop stay")
    func middleGoes() throws {
        try loop(3, settings: ["dumps=6"])
        let first = Set(dumps)
        try loop(20, settings: ["dumps=6"])
        #expect(dumps.count == 6)
        #expect(first.isSubset(of: dumps))
        let before = Set(dumps)
        try loop(1, settings: ["dumps=6"])
        let last = try #require(Set(dumps).subtracting(before).first)
        #expect(try dumps.max { try time($0) < time($1) } == last)
    }

    @Test("The bytes of the dumps are capped too")
    func bytes() throws {
        // 1 MiB is set aside for the armed file, and a dump takes some 40 KiB.
        try loop(30, settings: ["bytes=\((1 << 20) + 400_000)"])
        let used = dumps.reduce(0) { sum, name in
            var status = stat()
            return stat(path(name), &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
        #expect(dumps.count > 2)
        // The last one has what was set aside for it until the next start.
        #expect(used <= (1 << 20) + 400_000)
        #expect(dumps.count + droppedCount == 30)
    }

    @Test("Launch records of killed processes go before dumps, and are not counted")
    func launchRecords() throws {
        try loop(2, settings: ["dumps=5"])
        let crashes = Set(dumps)
        try loop(10, "_exit", status: 0, settings: ["dumps=5"])
        #expect(dumps.count == 5)
        #expect(crashes.isSubset(of: dumps))
        // Nothing was dropped, and no count exists.
        #expect(!files.contains { $0.hasSuffix(".dropped") })
    }

    @Test("A program that ends well time and again leaves its last ends, and no dump goes for them")
    func cleanEnds() throws {
        try loop(2, settings: ["dumps=3"])
        let crashes = Set(dumps)
        try loop(30, "exit", status: 0, settings: ["dumps=3"])
        #expect(crashes.isSubset(of: dumps))
        // Eight of earlier runs, and that of the last.
        #expect(dumps.count { $0.hasSuffix(".locked") } == 9)
        #expect(!files.contains { $0.hasSuffix(".dropped") })
        try loop(1, settings: ["dumps=3"])
        #expect(crashes.isSubset(of: dumps))
        #expect(dumps.count { !$0.hasSuffix(".locked") } == 3)
    }

    @Test("What a process armed before its execve waits for the sweep, which reports the execve")
    func replaced() throws {
        try loop(1, settings: ["dumps=3"])
        let crash = Set(dumps)
        let go = directory.path("go")
        let process = try Subprocess.spawn([
            "bash", "-c", "while [ ! -e \"$1\" ]; do sleep 0.02; done; shift; exec \"$@\"", "bash",
            go, Victim.c.path, directory.path("db"), "exit", "0",
        ])
        let proc = ProcFileSystem()
        guard case .running(let ticks) = proc.state(of: process) else {
            Issue.record("it does not run")
            return
        }
        // One of its own, one of a process that had the number before.
        for start in [ticks, ticks - 1] {
            let name = "org.example.dummy@\(Epitaph.ID().description).locked"
            let record = try launchRecord(process, start, proc)
            try directory.write(record, to: "db/pending-dumps/" + name)
        }
        try directory.write([], to: "go")
        #expect(Subprocess.wait(for: process, deadlineSeconds: 20) == .exited(0))
        // Both, and its own. The number of such files has a limit, as above.
        #expect(dumps.count { $0.hasSuffix(".locked") } == 3)
        #expect(crash.isSubset(of: dumps))
    }

    private func launchRecord(
        _ process: Int32, _ startTicks: UInt64, _ proc: ProcFileSystem
    ) throws -> [UInt8] {
        let boot = try proc.bootID()
        let namespace = try proc.pidNamespace()
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        dump.map(.launchRecord) {
            $0.add(.launchPID, process)
            $0.add(.launchStartTicks, startTicks)
            $0.add(.launchBootID, bytes: boot.bytes)
            $0.add(.launchPIDNamespace, namespace)
        }
        return dump.bytes
    }

    @Test("Other bundles' dumps are neither counted nor removed, nor are strangers' files")
    func otherBundles() throws {
        try loop(4, settings: ["bundle=org.example", "dumps=4"])
        // A bundle id that begins another's, and names that are almost dumps.
        try directory.write([1], to: "db/pending-dumps/org.example.dummy@README")
        try directory.write(
            [1],
            to: "db/pending-dumps/org.example.dummy@\(Epitaph.ID().description.uppercased()).txt")
        let others = Set(files)
        try loop(5, settings: ["dumps=2"])
        #expect(others.isSubset(of: files))
        // Four of the one bundle, two of the other, two strangers.
        #expect(files.filter { $0.contains("@") }.count == 8)
        #expect(droppedCount == 3)
    }

    @Test("Children that are forked and crash write no more dumps than may wait")
    func forkedChildren() throws {
        try loop(8, "forked-child", status: 40 + SIGSEGV, settings: ["dumps=3"])
        let sealed = dumps.filter { !$0.hasSuffix(".locked") }
        #expect(sealed.count <= 3 && !sealed.isEmpty)
        #expect(droppedCount > 0)
    }

    @Test("A dump that is being converted is left to the conversion")
    func converting() throws {
        try loop(2, settings: ["dumps=2"])
        let holders = try dumps.map { try LockHolder(.wholeFile, on: path($0)) }
        let held = Set(dumps)
        try loop(1, settings: ["dumps=2"])
        #expect(held.isSubset(of: dumps))
        holders.forEach { $0.end() }
    }
}
