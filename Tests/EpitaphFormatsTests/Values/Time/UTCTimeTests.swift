// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Times in words")
struct UTCTimeTests {
    @Test(
        "A time is a date and a time of day in UTC",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"),
            (-0.5, "1969-12-31 23:59:59 UTC"), (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"), (1_735_689_599, "2024-12-31 23:59:59 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"),
            (-62_135_596_800, "0001-01-01 00:00:00 UTC"),
            (253_402_300_800, "253402300800.0 seconds after 1970"),
            (-1e300, "-1e+300 seconds after 1970"),
        ])
    func date(seconds: Double, expected: String) {
        #expect(UTCTime.text(Timestamp(secondsSince1970: seconds)) == expected)
    }

    @Test("A timestamp has no blanks")
    func timestamp() {
        #expect(UTCTime.timestamp(Timestamp(secondsSince1970: 86_399)) == "1970-01-01T23:59:59Z")
        #expect(UTCTime.timestamp(Timestamp(secondsSince1970: 1e18)) == "-")
    }

    @Test("Every day of four centuries agrees with Foundation's calendar")
    func calendar() throws {
        let format = Date.ISO8601FormatStyle()
        for day in stride(from: -50_000, to: 100_000, by: 37) {
            let date = Timestamp(secondsSince1970: Double(day) * 86_400 + 3_723)
            let expected = format.format(date.date).replacingOccurrences(of: "T", with: " ")
                .replacingOccurrences(of: "Z", with: " UTC")
            #expect(UTCTime.text(date) == expected)
        }
    }

    @Test(
        "A span is told in its two largest units",
        arguments: [
            (0, "0.000 s"), (5.25, "5.250 s"), (59.9999, "59.999 s"), (60, "1 min 0 s"),
            (602.5, "10 min 2 s"), (3_600, "1 h 0 min"), (86_399, "23 h 59 min"),
            (86_400, "1 day 0 h"), (1_000_000, "11 days 13 h"), (.infinity, "inf s"),
        ])
    func span(seconds: Double, expected: String) {
        #expect(UTCTime.span(seconds: seconds) == expected)
    }
}
