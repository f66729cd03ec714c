// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation

@Suite struct HTMLTimedLineTests {
    @Test(
        "A line that begins with a time has it, to the fraction",
        arguments: [
            ("1970-01-01T00:00:00Z x", 0.0), ("2026-08-22T03:14:05Z x", 1_787_368_445),
            ("2026-08-22 03:14:05.25Z x", 1_787_368_445.25),
            ("2000-02-29T23:59:59Z x", 951_868_799), ("1969-12-31T23:59:59Z x", -1),
            ("0001-01-01T00:00:00Z x", -62_135_596_800), ("2016-12-31T23:59:60Z x", 1_483_228_800),
        ])
    func times(line: String, seconds: Double) throws {
        let timed = try #require(TimedLine(line))
        #expect(timed.time.secondsSince1970 == seconds)
        #expect(timed.text == "x")
    }

    @Test(
        "Anything less exact is no time",
        arguments: [
            "", "Z", "2026-08-22", "2026-08-22T03:14:05 x", "2026-08-22T03:14:05+02:00 x",
            "2026-13-22T03:14:05Z x", "2026-00-22T03:14:05Z x", "2026-08-32T03:14:05Z x",
            "2026-08-22T24:14:05Z x", "2026-08-22T03:60:05Z x", "2026-08-22T03:14:61Z x",
            "2026-08-22T03:14:05.Z x", "2026-08-22T03:14:05.1e9Z x", "2026-08-22T03:14:05Zx",
            "0000-01-01T00:00:00Z x", "２026-08-22T03:14:05Z x",
        ])
    func others(line: String) {
        #expect(TimedLine(line)?.text == nil)
    }
}
