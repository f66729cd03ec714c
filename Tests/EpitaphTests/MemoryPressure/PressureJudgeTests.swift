// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Epitaph

@Suite struct PressureJudgeTests {
    static func reading(
        share: Double? = nil, stall: Double? = nil, hits: UInt64? = nil
    ) -> MemoryReading {
        var reading = MemoryReading()
        reading.group = share.map {
            .init(path: "/g", usedBytes: UInt64($0 * 1_000_000), limitBytes: 1_000_000)
        }
        reading.stallPercent = stall
        reading.limitHits = hits
        return reading
    }

    @Test("It begins at one mark and ends below a lower one, after a while")
    func hysteresis() {
        var judge = PressureJudge()
        func look(_ share: Double, _ seconds: Double) -> PressureJudge.Change? {
            judge.look(at: Self.reading(share: share), hasTriggered: false, seconds: seconds)
        }
        #expect(look(0.89, 0) == nil)
        #expect(look(0.91, 1) == .began("91 % of the memory that there is for it is used"))
        #expect(look(0.95, 2) == nil)
        // Up and down around the mark is one warning.
        #expect(look(0.85, 3) == nil && look(0.91, 4) == nil && look(0.79, 5) == nil)
        #expect(look(0.81, 14) == nil && look(0.79, 15) == nil)
        #expect(look(0.79, 24.9) == nil)
        #expect(look(0.79, 25) == .ended)
        #expect(look(0.79, 26) == nil)
    }

    @Test("Stalls, limits that are met and the kernel's trigger begin one too")
    func causes() {
        func first(_ readings: [MemoryReading], triggered: Bool = false) -> PressureJudge.Change? {
            var judge = PressureJudge()
            return readings.compactMap {
                judge.look(at: $0, hasTriggered: triggered, seconds: 0)
            }.first
        }
        #expect(
            first([Self.reading(stall: 12.5)])
                == .began("tasks waited for memory for 12.5 % of ten seconds"))
        // Hits from before the watch are none of this time.
        #expect(first([Self.reading(hits: 5), Self.reading(hits: 5)]) == nil)
        #expect(
            first([Self.reading(hits: 5), Self.reading(hits: 6)])
                == .began("its control group met its limit"))
        #expect(
            first([MemoryReading()], triggered: true)
                == .began("the kernel says that tasks wait for memory"))
        #expect(first([MemoryReading()]) == nil)
    }

    @Test("Without a limit the machine's memory counts")
    func machine() {
        var reading = MemoryReading()
        reading.totalBytes = 1_000
        reading.availableBytes = 50
        #expect(reading.usedShare == 0.95)
        reading.availableBytes = 2_000
        #expect(reading.usedShare == 0)
        reading.totalBytes = 0
        #expect(reading.usedShare == nil)
    }

    @Test("A clock that goes backwards ends no warning early")
    func clock() {
        var judge = PressureJudge()
        _ = judge.look(at: Self.reading(share: 1), hasTriggered: false, seconds: 100)
        let calm = Self.reading(share: 0.1)
        #expect(judge.look(at: calm, hasTriggered: false, seconds: 105) == nil)
        #expect(judge.look(at: calm, hasTriggered: false, seconds: 1) == nil)
        #expect(judge.look(at: calm, hasTriggered: false, seconds: 10) == nil)
        #expect(judge.look(at: calm, hasTriggered: false, seconds: 11) == .ended)
    }

    @Test("Marks and options outside of their range become the nearest inside")
    func clamping() {
        var marks = PressureJudge.Marks()
        (marks.usedShare, marks.stallPercent, marks.calmTime) = (2, 0, .seconds(-1))
        #expect(marks.usedShare == 1 && marks.stallPercent == 1 && marks.calmTime == .seconds(1))
        var options = MemoryOptions()
        (options.pollInterval, options.dumpsPerHour) = (.zero, 99)
        #expect(options.pollInterval == .milliseconds(100) && options.dumpsPerHour == 32)
    }
}
