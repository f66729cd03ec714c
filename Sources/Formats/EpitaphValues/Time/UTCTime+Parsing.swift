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
        guard
            let match = text.wholeMatch(
                of:
                    #/
            (\d{4})-(\d\d)-(\d\d)
            (?:[Tt\ ] (\d\d):(\d\d) (?: :(\d\d (?:\.\d{1,9})?) )? (Z|z|[+\-]\d\d:?\d\d)? )?
            /#)
        else { return nil }
        let (_, year, month, day, hour, minute, second, offset) = match.output
        guard let days = daysSince1970(Int64(year), Int64(month), Int64(day)),
            let hours = Int64(hour ?? "0"), hours < 24,
            let minutes = Int64(minute ?? "0"), minutes < 60,
            // A leap second is the first of the next minute.
            let seconds = Double(second ?? "0"), seconds < 61,
            let offset = offsetSeconds(offset)
        else { return nil }
        let whole = days * 86_400 + hours * 3600 + minutes * 60 - offset
        return Timestamp(secondsSince1970: Double(whole) + seconds)
    }

    /// In seconds.
    private static func span(parsing text: String) -> Double? {
        let seconds: [Character: Double] = [
            "w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1,
        ]
        var sum = 0.0
        var digits = ""
        for character in text {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                guard let unit = seconds[character], let count = Double(digits), digits.count < 10
                else { return nil }
                sum += count * unit
                digits = ""
            }
        }
        return digits.isEmpty && !text.isEmpty ? sum : nil
    }

    /// `+02:00`, `-0530`, `Z`; 0 for nothing.
    private static func offsetSeconds(_ text: Substring?) -> Int64? {
        guard let text, text.uppercased() != "Z" else { return 0 }
        let digits = text.filter(\.isNumber)
        guard let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// Nil for a date that does not exist. Inverse of the conversion from days: years from 1 March
    /// on, so that a leap day is the last of its year.
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
