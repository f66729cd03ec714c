// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The Retry-After header: RFC 9110, 10.2.3.
enum RetryAfter {
    /// Longer waits come from a wrong clock.
    static let longestSeconds = 86_400.0

    static func seconds(_ text: String, now: Timestamp) -> Double? {
        let words = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != "\r" && $0 != "\n" }
        let value = String(words).trimmedBlanks
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Double(value) ?? longestSeconds, longestSeconds)
        }
        return date(value).map {
            min(max($0.seconds(since: now), 0), longestSeconds)
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// IMF-fixdate, the only form to send: "Sun, 06 Nov 1994 08:49:37 GMT". RFC 9110, 5.6.7.
    static func date(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", let day = number(parts[1], digits: 2),
            let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], digits: 4)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], digits: 2), hour < 24,
            let minute = number(clock[1], digits: 2), minute < 60,
            let second = number(clock[2], digits: 2), second < 61
        else { return nil }
        guard let days = UTCTime.daysSince1970(Int64(year), Int64(month + 1), Int64(day)) else {
            return nil
        }
        let seconds = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        return Timestamp(secondsSince1970: Double(seconds))
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension String {
    fileprivate var trimmedBlanks: String {
        String(reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
