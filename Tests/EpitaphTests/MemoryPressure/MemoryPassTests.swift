// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import Epitaph

/// Dumps that are counted and not taken.
final class CountedDumps: MemoryDumping {
    private let calls = Mutex<[String]>([])
    private let onlyAllThreads: Bool

    init(onlyAllThreads: Bool = false) {
        self.onlyAllThreads = onlyAllThreads
    }

    var all: [String] { calls.withLock { $0 } }

    func take(includesAllThreads: Bool, subject: Int32, words: String) -> Bool {
        calls.withLock { $0.append(includesAllThreads ? "all" : "one") }
        return includesAllThreads || !onlyAllThreads
    }

    func discard() { calls.withLock { $0.append("discard") } }
}

@Suite struct MemoryPassTests {
    private let scarce = PressureJudgeTests.reading(share: 0.95)
    private let plenty = PressureJudgeTests.reading(share: 0.1)

    private func play(
        _ mode: MemoryMode, _ looks: [(MemoryReading, Double)], dumpsPerHour: Int = 6
    ) -> (dumps: [String], events: [MemoryEvent]) {
        var options = MemoryOptions()
        options.mode = mode
        options.dumpsPerHour = dumpsPerHour
        let dumps = CountedDumps()
        let events = EventBox()
        var pass = MemoryPass(options, dumps: dumps, onEvent: events.add)
        for (reading, seconds) in looks {
            pass.look(at: reading, hasTriggered: false, seconds: seconds)
        }
        return (dumps.all, events.all)
    }

    private final class EventBox: Sendable {
        private let events = Mutex<[MemoryEvent]>([])
        var all: [MemoryEvent] { events.withLock { $0 } }
        func add(_ event: MemoryEvent) { events.withLock { $0.append(event) } }
    }

    @Test(
        "One warning takes one dump, which goes with it",
        arguments: [(MemoryMode.light, "one"), (.full, "all")])
    func course(_ mode: MemoryMode, _ threads: String) {
        let played = play(mode, [(plenty, 0), (scarce, 1), (scarce, 2), (plenty, 3), (plenty, 13)])
        #expect(played.dumps == [threads, "discard"])
        #expect(played.events.map(\.hasDump) == [true, false])
        #expect(played.events.last?.kind == .ended)
        #expect(played.events.first?.reading == scarce)
    }

    @Test("Where the one thread cannot be dumped all are")
    func fallback() {
        let dumps = CountedDumps(onlyAllThreads: true)
        let events = EventBox()
        var pass = MemoryPass(MemoryOptions(), dumps: dumps, onEvent: events.add)
        pass.look(at: scarce, hasTriggered: false, seconds: 1)
        #expect(dumps.all == ["one", "all"] && events.all.first?.hasDump == true)
    }

    @Test("Between two whole looks the use alone is looked at, until it is scarce")
    func brief() {
        var pass = MemoryPass(MemoryOptions(), dumps: CountedDumps(), onEvent: { _ in })
        #expect(!pass.lookBriefly(seconds: 0) { $0 })
        pass.look(at: plenty, hasTriggered: false, seconds: 1)
        #expect(pass.lookBriefly(seconds: 1.5) { _ in plenty })
        #expect(!pass.lookBriefly(seconds: 1.6) { _ in scarce })
        #expect(!pass.lookBriefly(seconds: 2) { _ in plenty })
    }

    @Test("Beyond the limit an hour a warning comes without a dump, and the hour passes")
    func limit() {
        let looks: [(MemoryReading, Double)] = [
            (scarce, 1), (plenty, 2), (plenty, 12), (scarce, 20), (plenty, 30), (plenty, 40),
            (scarce, 3_700),
        ]
        let played = play(.light, looks, dumpsPerHour: 1)
        #expect(played.dumps == ["one", "discard", "one"])
        #expect(played.events.map(\.hasDump) == [true, false, false, false, true])
    }
}

/// Files as kernels have them, in a directory.
@Suite struct ControlGroupFilesTests {
    private func write(_ text: String, _ path: String, in directory: TemporaryDirectory) throws {
        let whole = directory.path(path)
        try FileManager.default.createDirectory(
            atPath: String(whole[..<whole.lastIndex(of: "/")!]), withIntermediateDirectories: true)
        try text.write(toFile: whole, atomically: true, encoding: .utf8)
    }

    private func machine(_ group: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try write(group, "proc/self/cgroup", in: directory)
        try write("Name:\td\nVmRSS:\t  2048 kB\n", "proc/self/status", in: directory)
        try write(
            "MemTotal: 8000 kB\nMemAvailable: 6000 kB\n", "proc/meminfo", in: directory)
        return directory
    }

    private func reading(_ directory: TemporaryDirectory) -> MemoryReading {
        ControlGroupFiles(
            processFiles: directory.path("proc"), hierarchies: directory.path("cgroup")
        ).reading()
    }

    @Test("Version 2: the group nearest to its limit counts, memory.high as memory.max")
    func version2() throws {
        let directory = try machine("0::/app.slice/d.service\n")
        let own = "cgroup/app.slice/d.service"
        try write("500\n", own + "/memory.current", in: directory)
        try write("max\n", own + "/memory.max", in: directory)
        try write("1000\n", own + "/memory.high", in: directory)
        try write("1800\n", "cgroup/app.slice/memory.current", in: directory)
        try write(
            "anon 900\ninactive_file 600\nactive_file 300\n", "cgroup/app.slice/memory.stat",
            in: directory)
        try write("1200\n", "cgroup/app.slice/memory.max", in: directory)
        try write(
            "low 0\nhigh 3\nmax 4\noom 1\noom_kill 2\n", own + "/memory.events", in: directory)
        try write(
            "some avg10=12.34 avg60=1 avg300=0 total=9\nfull avg10=0 avg60=0 avg300=0 total=0\n",
            own + "/memory.pressure", in: directory)
        let found = reading(directory)
        #expect(found.residentBytes == 2048 << 10)
        #expect(found.group?.path == directory.path("cgroup/app.slice"))
        #expect(found.usedShare == 0.75)
        #expect(found.limitHits == 7 && found.kills == 2 && found.stallPercent == 12.34)
    }

    @Test("Version 1 has usage, limit and hits, and the machine's pressure")
    func version1() throws {
        let directory = try machine("4:memory:/job\n3:cpu,cpuacct:/\n0::/\n")
        try write("39\n", "cgroup/memory/job/memory.usage_in_bytes", in: directory)
        try write(
            "inactive_file 1\ntotal_inactive_file 20\ntotal_active_file 9\n",
            "cgroup/memory/job/memory.stat", in: directory)
        try write("40\n", "cgroup/memory/job/memory.limit_in_bytes", in: directory)
        try write("11\n", "cgroup/memory/job/memory.failcnt", in: directory)
        try write(
            "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n",
            "cgroup/memory/job/memory.oom_control", in: directory)
        // The root's limit is none.
        try write("90\n", "cgroup/memory/memory.usage_in_bytes", in: directory)
        try write(
            "9223372036854771712\n", "cgroup/memory/memory.limit_in_bytes", in: directory)
        try write(
            "some avg10=0.50 avg60=0 avg300=0 total=0\n", "proc/pressure/memory", in: directory)
        let found = reading(directory)
        #expect(found.usedShare == 0.25 && found.limitHits == 11 && found.kills == 5)
        #expect(found.stallPercent == 0.5)
    }

    @Test("Without groups, pressure or limits the machine's memory is all there is")
    func nothing() throws {
        let directory = try machine("0::/\n")
        let found = reading(directory)
        #expect(found.group == nil && found.stallPercent == nil && found.limitHits == nil)
        #expect(found.usedShare == 0.25)
        #expect(ControlGroupFiles(processFiles: "/nowhere").reading() == MemoryReading())
    }

    @Test("Files with nonsense in them are as if they were not there")
    func nonsense() throws {
        let directory = try machine("what\n::\n0::/../../etc\n")
        try write("-1\n", "cgroup/etc/memory.current", in: directory)
        try write("some avg10=inf\n", "proc/pressure/memory", in: directory)
        try write("VmRSS:\t99999999999999999999 kB\n", "proc/self/status", in: directory)
        let found = reading(directory)
        #expect(found.group == nil && found.stallPercent == nil && found.residentBytes == nil)
    }
}
