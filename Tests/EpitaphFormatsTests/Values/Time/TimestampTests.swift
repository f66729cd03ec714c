// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Points in time")
struct TimestampTests {
    @Test("Text with milliseconds is read and written again without a change")
    func milliseconds() throws {
        let zero = Timestamp(secondsSince1970: 0)
        for number in stride(from: -1_000_000_000_123, to: 4_000_000_000_000, by: 999_999_937) {
            let time = Timestamp(secondsSince1970: Double(number) / 1_000)
            let text = UTCTime.millisecondTimestamp(time)
            let again = try #require(UTCTime.date(parsing: text, now: zero))
            #expect(UTCTime.millisecondTimestamp(again) == text)
            #expect(abs(again.seconds(since: time)) < 0.001)
        }
    }

    @Test("Foundation reads the same time in it")
    func foundation() throws {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for seconds in [0, 0.25, 1_763_703_600.125, 951_782_400.999, -0.5, -86_400.001] {
            let time = Timestamp(secondsSince1970: seconds)
            let theirs = try Date(UTCTime.millisecondTimestamp(time), strategy: format)
            #expect(abs(theirs.timeIntervalSince(time.date)) < 0.0015)
        }
    }

    @Test("A signed request has it without separators")
    func compact() {
        let time = Timestamp(secondsSince1970: 1_440_938_160)
        #expect(UTCTime.compactTimestamp(time) == "20150830T123600Z")
    }

    @Test("A time that is no number or beyond all calendars is written somehow, and traps nowhere")
    func hostile() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9e18] {
            let time = Timestamp(secondsSince1970: seconds)
            _ = (UTCTime.text(time), UTCTime.timestamp(time), UTCTime.compactTimestamp(time))
            _ = UTCTime.millisecondTimestamp(time)
        }
    }
}
