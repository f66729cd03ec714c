// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Times a person writes")
struct UTCTimeParsingTests {
    private let now = Timestamp(secondsSince1970: 1_787_368_447)

    @Test(
        "Dates and times are what Python reads them as",
        arguments: [
            "2026-08-22", "1970-01-01", "2000-02-29", "1999-12-31T23:59:59", "2026-08-22T03:14",
            "2026-08-22 03:14:07", "2026-08-22T03:14:07.250", "2024-02-29T00:00:00+02:00",
            "2026-08-22T03:14:07-05:30", "0001-01-02", "9999-12-31", "1900-03-01", "2100-02-28",
        ])
    func dates(text: String) throws {
        let script = """
            import sys
            from datetime import datetime, timezone
            time = datetime.fromisoformat(sys.argv[1])
            print((time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp())
            """
        let python = try Subprocess.run(["python3", "-c", script, text]).standardOutput
        let expected = try #require(Double(python.trimmingCharacters(in: .newlines)))
        #expect(UTCTime.date(parsing: text, now: now)?.secondsSince1970 == expected)
    }

    @Test("Days of 800 years are read as the days they are written as")
    func everyDay() {
        for day in stride(from: -135_140, to: 157_060, by: 13) {
            let date = Timestamp(secondsSince1970: Double(day) * 86_400)
            #expect(UTCTime.date(parsing: UTCTime.timestamp(date), now: now) == date)
        }
    }

    @Test(
        "A span counts back from now",
        arguments: [
            ("45s", 45), ("30m", 1800), ("12h", 43_200), ("2d", 172_800), ("1w", 604_800),
            ("1d12h", 129_600), ("0s", 0),
        ] as [(String, Double)])
    func spans(text: String, seconds: Double) {
        #expect(UTCTime.date(parsing: text, now: now) == now.adding(seconds: -seconds))
    }

    @Test(
        "What is no time is none",
        arguments: [
            "", " ", "now", "12", "d", "2x", "d2", "-1d", "1.5d", "99999999999d", "2026",
            "2026-13-01", "2026-00-10", "2026-02-29", "2026-04-31", "2026-01-00", "0000-01-01",
            "2026-1-1", "2026-08-22T24:00", "2026-08-22T03:60", "2026-08-22T03:14:61",
            "2026-08-22T03", "2026-08-22T03:14:07+25:00", "2026-08-22Z", "２026-08-22", "１d",
            "2026-08-22T03:14:07ZZ", "2026-08-22\n",
        ])
    func nonsense(text: String) {
        #expect(UTCTime.date(parsing: text, now: now) == nil)
    }
}
