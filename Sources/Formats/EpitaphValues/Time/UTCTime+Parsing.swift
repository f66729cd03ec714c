// SPDX-License-Identifier: Apache-2.0

extension UTCTime {
    /// A time as typed by a user; nil for other text.
    ///
    /// - `2026-08-22`, `2026-08-22T03:14`, `2026-08-22 03:14:05.5Z`, `2026-08-22T03:14:05+02:00`:
    ///   ISO 8601, in UTC without an offset.
    /// - `2w`, `2d`, `12h`, `30m`, `45s`, `1d12h`: this long before `now`.
    package static func date(parsing text: String, now: Timestamp) -> Timestamp? {
        if let span = span(parsing: text) {
            return Timestamp(secondsSince1970: now.secondsSince1970 - span)
        }
        var rest = DateText(rest: text.utf8[...])
        guard let year = rest.number(4), rest.take("-") != nil, let month = rest.number(2),
            rest.take("-") != nil, let day = rest.number(2),
            let days = daysSince1970(year, month, day)
        else { return nil }
        guard !rest.isEmpty else { return Timestamp(secondsSince1970: Double(days * 86_400)) }
        guard rest.take("Tt ") != nil, let hour = rest.number(2), hour < 24,
            rest.take(":") != nil, let minute = rest.number(2), minute < 60,
            // A leap second is the first of the next minute.
            let second = rest.take(":") == nil ? 0 : rest.seconds(), second < 61,
            let offset = rest.offset(), rest.isEmpty
        else { return nil }
        let whole = days * 86_400 + hour * 3600 + minute * 60 - offset
        return Timestamp(secondsSince1970: Double(whole) + second)
    }

    private struct DateText {
        var rest: Substring.UTF8View

        var isEmpty: Bool { rest.isEmpty }

        /// The next byte if it is one of these.
        mutating func take(_ marks: StaticString) -> UInt8? {
            guard let byte = rest.first,
                UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount)
                    .contains(byte)
            else { return nil }
            return rest.removeFirst()
        }

        mutating func number(_ digits: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digits {
                guard let byte = rest.first, byte.isDigit else { return nil }
                value = value * 10 + Int64(byte & 15)
                rest.removeFirst()
            }
            return value
        }

        mutating func seconds() -> Double? {
            let start = rest
            guard number(2) != nil else { return nil }
            if take(".") != nil {
                let digits = rest.prefix { $0.isDigit }
                guard (1...9).contains(digits.count) else { return nil }
                rest = rest[digits.endIndex...]
            }
            return Double(Substring(start[..<rest.startIndex]))
        }

        /// `+02:00`, `-0530`, `Z`, in seconds; 0 for nothing.
        mutating func offset() -> Int64? {
            guard !isEmpty, take("Zz") == nil else { return 0 }
            guard let sign = take("+-"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
        }
    }

    private static func span(parsing text: String) -> Double? {
        var sum = 0.0
        var count: Double?
        var digits = 0
        for byte in text.utf8 {
            if byte.isDigit {
                count = (count ?? 0) * 10 + Double(byte & 15)
                digits += 1
                continue
            }
            let unit: Double
            switch byte {
            case UInt8(ascii: "w"): unit = 604_800
            case UInt8(ascii: "d"): unit = 86_400
            case UInt8(ascii: "h"): unit = 3600
            case UInt8(ascii: "m"): unit = 60
            case UInt8(ascii: "s"): unit = 1
            default: return nil
            }
            guard let number = count, digits < 10 else { return nil }
            sum += number * unit
            count = nil
            digits = 0
        }
        return count == nil && !text.isEmpty ? sum : nil
    }

    /// Inverse of `civil(daysSince1970:)`; nil for a date that does not exist.
    package static func daysSince1970(_ year: Int64?, _ month: Int64?, _ day: Int64?) -> Int64? {
        guard let year, let month, let day, year >= 1, (1...12).contains(month),
            (1...daysInMonth(month, of: year)).contains(day)
        else { return nil }
        let yearFromMarch = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return yearFromMarch * 365 + yearFromMarch / 4 - yearFromMarch / 100 + yearFromMarch / 400
            + dayOfYear - 719_468
    }

    private static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2:
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
