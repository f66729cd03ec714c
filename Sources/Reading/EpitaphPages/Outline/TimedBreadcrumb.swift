// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A breadcrumb and its time relative to the crash.
///
/// The wall clock can be set and jump, so spans use the monotonic clock if the dump has its value.
package struct TimedBreadcrumb: Sendable {
    package let breadcrumb: Breadcrumb
    /// Wall clock time when it was noted.
    package let clockTime: Timestamp
    /// Seconds before the snapshot, negative after it.
    package let secondsBefore: Double?
    /// Position on the time line, by the wall clock as set at the snapshot.
    package let time: Timestamp

    /// Two readings of both clocks never differ this much by themselves.
    private static let clockToleranceSeconds = 1.0

    package init(_ breadcrumb: Breadcrumb, in process: ProcessFacts) {
        self.breadcrumb = breadcrumb
        let clock = Double(breadcrumb.timeNanoseconds) / 1_000_000_000
        clockTime = Timestamp(secondsSince1970: clock)
        let counted = breadcrumb.uptimeNanoseconds.flatMap { uptime in
            process.uptimeNanoseconds.map { Self.seconds(from: uptime, to: $0) }
        }
        let end = process.snapshotTime?.secondsSince1970
        let byClock = end.map { $0 - clock }
        secondsBefore = counted ?? byClock.flatMap { $0.isFinite ? $0 : nil }
        if let counted, let end, end.isFinite {
            time = Timestamp(secondsSince1970: end - counted)
        } else {
            time = clockTime
        }
    }

    package static func all(of snapshot: ProcessSnapshot) -> [TimedBreadcrumb] {
        snapshot.breadcrumbs.map { TimedBreadcrumb($0, in: snapshot.process) }
    }

    /// `2.300 s before` or `0.001 s after` the crash.
    package var spanWords: String? {
        secondsBefore.map { seconds in
            UTCTime.span(seconds: seconds.magnitude) + (seconds < 0 ? " after" : " before")
        }
    }

    /// A remark if the clock was set, or the machine slept, in between.
    package var clockWords: String? {
        let difference = clockTime.seconds(since: time).magnitude
        guard difference > Self.clockToleranceSeconds else { return nil }
        return "the clock said \(UTCTime.text(clockTime)) then"
    }

    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        let span = Double(start <= end ? end - start : start - end) / 1_000_000_000
        return start <= end ? span : -span
    }
}

extension Breadcrumb {
    package var detailWords: String? {
        let words =
            (kind.isEmpty ? [] : ["[\(kind)]"]) + attributes.map { "\($0.name)=\($0.value)" }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

extension Breadcrumb.Level {
    package var word: String { "\(self)" }

    package var isBad: Bool { rawValue >= Self.warning.rawValue }
}
