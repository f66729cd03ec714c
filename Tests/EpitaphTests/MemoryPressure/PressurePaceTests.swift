// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import Epitaph

@Suite struct PressurePaceTests {
    private static func reading(usedMiB: UInt64, of limitMiB: UInt64 = 1_000) -> MemoryReading {
        var reading = MemoryReading()
        reading.group = .init(
            path: "/g", usedBytes: usedMiB << 20, limitBytes: limitMiB << 20)
        return reading
    }

    @Test("The next look comes before memory can be full, and is rare where it is far from that")
    func nearer() {
        var pace = PressurePace(MemoryOptions())
        #expect(pace.seconds(after: Self.reading(usedMiB: 100), at: 0) == 1)
        #expect(pace.seconds(after: Self.reading(usedMiB: 644), at: 9) == 0.5)
        // 4 MiB below the threshold, and rising.
        #expect(pace.seconds(after: Self.reading(usedMiB: 896), at: 20) < 0.01)
        // And standing still there.
        #expect(pace.seconds(after: Self.reading(usedMiB: 896), at: 21) == 0.05)
        // The warning has begun.
        #expect(pace.seconds(after: Self.reading(usedMiB: 901), at: 22) == 1)
    }

    @Test("However fast memory is filled, a look finds it between the threshold and the limit")
    func everySpeed() {
        for speed in [10.0, 100, 500] {
            for limit in [96.0, 256, 4_096] {
                var pace = PressurePace(MemoryOptions())
                var (used, time) = (10.0, 0.0)
                while used < limit * 0.9, pace.secondsLeft == nil {
                    let reading = Self.reading(usedMiB: UInt64(used), of: UInt64(limit))
                    let pause = pace.seconds(after: reading, at: time)
                    (used, time) = (used + pause * speed, time + pause)
                }
                #expect(used < limit, "\(speed) MiB/s, \(limit) MiB: seen at \(used)")
            }
        }
    }

    @Test("A rush to the limit is seen before the threshold, a quick start far below it is none")
    func rush() {
        var pace = PressurePace(MemoryOptions())
        func left(_ usedMiB: UInt64, at seconds: Double) -> Double? {
            _ = pace.seconds(after: Self.reading(usedMiB: usedMiB), at: seconds)
            return pace.secondsLeft
        }
        #expect(left(100, at: 0) == nil)
        // A gibibyte a second.
        #expect(left(400, at: 0.3) == nil)
        #expect(left(850, at: 0.75) == 0.15)
        #expect(left(850, at: 0.8) == nil)
        // Ten MiB a second.
        #expect(left(860, at: 1.8) == nil)
        var judge = PressureJudge()
        let change = judge.look(
            at: Self.reading(usedMiB: 850), hasTriggered: false, secondsLeft: 0.15, seconds: 0)
        #expect(change == .began("at its present speed it meets its limit in 150 ms"))
    }

    @Test("Without figures the longest time between two looks holds, which can be chosen")
    func nothingKnown() {
        var options = MemoryOptions()
        options.pollInterval = .milliseconds(250)
        var pace = PressurePace(options)
        #expect(pace.seconds(after: MemoryReading(), at: 0) == 0.25)
        #expect(pace.seconds(after: Self.reading(usedMiB: 10), at: 1) == 0.25)
    }
}

@Suite struct MemorySubjectTests {
    /// Threads as /proc has them.
    private func subject(_ lines: [String], named name: String? = nil) throws -> Int32 {
        let directory = try TemporaryDirectory()
        for line in lines {
            let task = directory.path("self/task/\(line.prefix { $0 != " " })")
            try FileManager.default.createDirectory(
                atPath: task, withIntermediateDirectories: true)
            try line.write(toFile: task + "/stat", atomically: false, encoding: .utf8)
        }
        return MemorySubject(processFiles: directory.path("")).find(named: name)
    }

    private let own = "7 (epitaph-memory) R 1 1 1 0 -1 4 900000 0 0 0 1 1"
    private let idle = "5 (d) S 1 1 1 0 -1 4 8000 0 0 0 1 1"

    @Test("It is the thread on a processor that has taken the most pages, never one of Epitaph's")
    func busy() throws {
        let busy = "8 (a) b (c) R 1 1 1 0 -1 4 20 0 0 0 1 1"
        let stalled = "9 (worker) D 1 1 1 0 -1 4 300 0 0 0 1 1"
        #expect(try subject([idle, own, busy]) == 8)
        #expect(try subject([idle, own, busy, stalled]) == 9)
    }

    @Test("A name that the program gives comes first; the kernel keeps 15 bytes of it")
    func named() throws {
        let busy = "8 (busy) R 1 1 1 0 -1 4 20 0 0 0 1 1"
        let cache = "9 (importer-of-fee) S 1 1 1 0 -1 4 1 0 0 0 1 1"
        #expect(try subject([idle, busy, cache], named: "importer-of-feeds") == 9)
        #expect(try subject([idle, busy, cache], named: "absent") == 8)
    }

    @Test("Where all sleep it is the first thread")
    func asleep() throws {
        #expect(try subject([idle, own]) == getpid())
        #expect(try subject(["what", "9 (x) R"]) == getpid())
        #expect(MemorySubject(processFiles: "/nowhere").find(named: nil) == getpid())
    }
}
