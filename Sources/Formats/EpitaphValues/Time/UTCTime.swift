// SPDX-License-Identifier: Apache-2.0

/// Times and durations in words. They come from dumps, so any value is possible.
package enum UTCTime {
    /// `2026-08-22 03:14:05 UTC`; a time outside the years 1 to 9999 as seconds since 1970.
    package static func text(_ date: Timestamp) -> String {
        written(date, as: "0000-00-00 00:00:00 UTC")
            ?? "\(date.secondsSince1970) seconds after 1970"
    }

    /// ISO 8601: `2026-08-22T03:14:05Z`; `-` outside the years 1 to 9999.
    package static func timestamp(_ date: Timestamp) -> String {
        written(date, as: "0000-00-00T00:00:00Z") ?? "-"
    }

    /// `2026-08-22T03:14:05.250Z`. Rounded to microseconds first, so that such text round-trips.
    package static func millisecondTimestamp(_ date: Timestamp) -> String {
        let microseconds = (date.secondsSince1970 * 1_000_000).rounded()
        let milliseconds = Int64(exactly: (microseconds / 1_000).rounded(.down)) ?? 0
        let second = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
        let whole = timestamp(Timestamp(secondsSince1970: Double(second)))
        return "\(whole.dropLast()).\(digits(milliseconds - second * 1_000, 3))Z"
    }

    /// ISO 8601 basic format, as in `x-amz-date`: `20150830T123600Z`.
    package static func compactTimestamp(_ date: Timestamp) -> String {
        timestamp(date).filter { $0 != "-" && $0 != ":" }
    }

    /// Nil outside the years 1 to 9999.
    ///
    /// - Parameter form: has zeros in the places of the digits.
    private static func written(_ date: Timestamp, as form: String) -> String? {
        let interval = date.secondsSince1970
        // The first second of the years 1 and 10000.
        guard interval >= -62_135_596_800, interval < 253_402_300_800 else { return nil }
        let seconds = Int64(interval.rounded(.down))
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(daysSince1970: day)
        // A long list has a time in each line.
        return String(unsafeUninitializedCapacity: form.utf8.count) { text in
            let (_, end) = text.initialize(from: form.utf8)
            put(year, before: 4, in: text)
            put(month, before: 7, in: text)
            put(dayOfMonth, before: 10, in: text)
            put(second / 3600, before: 13, in: text)
            put(second / 60 % 60, before: 16, in: text)
            put(second % 60, before: 19, in: text)
            return end
        }
    }

    private static func put(
        _ number: Int64, before end: Int, in text: UnsafeMutableBufferPointer<UInt8>
    ) {
        var place = end
        var rest = number
        while rest > 0 {
            place -= 1
            text[place] += UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Two units are precise enough: `3 days 4 h`, `4 h 12 min`, `12 min 5 s`, `5.250 s`.
    package static func span(seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e15 else { return "\(seconds) s" }
        let whole = Int64(seconds)
        switch whole {
        case ..<60:
            let milliseconds = Int64((seconds * 1000).rounded(.down))
            return "\(milliseconds / 1000).\(digits(milliseconds % 1000, 3)) s"
        case ..<3600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return "\(whole / 3600) h \(whole / 60 % 60) min"
        default:
            let days = whole / 86_400
            return "\(days) \(days == 1 ? "day" : "days") \(whole / 3600 % 24) h"
        }
    }

    /// Proleptic Gregorian. Eras of 400 years (146,097 days) from 1 March: a leap day is the last.
    private static func civil(daysSince1970 day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 719,468 days from 0000-03-01 to 1970-01-01.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // From March on, months of 31, 30, 31, 30, 31 days repeat: 153 days in five months.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    private static func digits(_ value: Int64, _ width: Int) -> String {
        String(value).zeroPadded(to: width)
    }
}
