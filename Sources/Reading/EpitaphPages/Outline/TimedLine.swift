// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A line that begins with an ISO 8601 time in UTC, as `2026-08-22T03:14:05.123Z opened the
/// ledger`. Less exact times are not recognised.
package struct TimedLine {
    package let time: Timestamp
    package let text: String

    package init?(_ line: String) {
        let bytes = Array(line.utf8.prefix(40))
        guard let end = bytes.firstIndex(of: UInt8(ascii: "Z")), end >= 19,
            let seconds = Self.seconds(bytes[..<19]),
            let fraction = Self.fraction(bytes[19..<end])
        else { return nil }
        let rest = line.utf8.dropFirst(end + 1)
        guard rest.first == UInt8(ascii: " ") else { return nil }
        time = Timestamp(secondsSince1970: Double(seconds) + fraction)
        text = String(Substring(rest.drop { $0 == UInt8(ascii: " ") }))
    }

    /// `2026-08-22T03:14:05`
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        for (position, byte) in bytes.enumerated() {
            let wanted: [UInt8] =
                switch position {
                case 4, 7: [UInt8(ascii: "-")]
                case 10: [UInt8(ascii: "T"), UInt8(ascii: " ")]
                case 13, 16: [UInt8(ascii: ":")]
                default: Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
                }
            guard wanted.contains(byte) else { return nil }
        }
        let parts = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { range in
            bytes[range].reduce(0 as Int64) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        guard parts[0] > 0, (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[3] < 24,
            parts[4] < 60, parts[5] <= 60
        else { return nil }
        let days = daysSince1970(year: parts[0], month: parts[1], day: parts[2])
        return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
    }

    /// Empty, or a point and digits.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard let first = bytes.first else { return 0 }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard first == UInt8(ascii: "."), bytes.count > 1,
            bytes.dropFirst().allSatisfy(digits.contains)
        else { return nil }
        return Double("0" + String(decoding: bytes, as: UTF8.self))
    }

    /// Years start in March so that the leap day comes last; 719,468 days lie between 0000-03-01
    /// and 1970-01-01 of the proleptic Gregorian calendar.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return shiftedYear * 365 + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
    }
}
