// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct WeekSpan: Sendable, Equatable {
    /// A whole number of steps after 1970-01-01.
    package let start: Timestamp
    package let end: Timestamp
    package let stepSeconds: Int
    /// The last step may not be over.
    package let stepCount: Int

    /// More cannot be told apart in a picture.
    package static let mostSteps = 240
    // An hour, parts of a day, a day, and so on.
    private static let steps = [
        3_600, 10_800, 21_600, 43_200, 86_400, 7 * 86_400, 28 * 86_400, 364 * 86_400,
    ]

    /// - Parameter since: the whole step that contains it is shown.
    /// - Returns: nil for an empty span, or a time before 1970 or after 2106.
    package init?(since: Timestamp, until: Timestamp) {
        let first = since.secondsSince1970
        let last = until.secondsSince1970.rounded(.up)
        // The range of ClickHouse's DateTime.
        guard first >= 0, last > first, last <= Double(UInt32.max) else { return nil }
        for step in Self.steps {
            let begin = Int(first) / step * step
            let count = (Int(last) - begin + step - 1) / step
            guard count <= Self.mostSteps else { continue }
            start = Timestamp(secondsSince1970: Double(begin))
            end = Timestamp(secondsSince1970: last)
            stepSeconds = step
            stepCount = count
            return
        }
        return nil
    }

    package func start(ofStep index: Int) -> Timestamp {
        Timestamp(secondsSince1970: start.secondsSince1970 + Double(index * stepSeconds))
    }

    package func step(of time: Timestamp) -> Int? {
        guard time >= start, time < end else { return nil }
        let seconds = time.secondsSince1970 - start.secondsSince1970
        return min(Int(seconds) / stepSeconds, stepCount - 1)
    }

    /// What the span is compared with: a time as long, over when the span begins, and whole days
    /// earlier so that it has the same hours of the day.
    package var before: Range<Timestamp> {
        let shift = -Double(daysBefore * 86_400)
        let first = max(start.adding(seconds: shift), Timestamp(secondsSince1970: 0))
        return first..<max(min(end.adding(seconds: shift), start), first)
    }

    private var daysBefore: Int {
        max(Int(end.secondsSince1970 - start.secondsSince1970) / 86_400, 1)
    }

    /// - Parameter earliest: the first crash that is known.
    func isBeforeKnown(_ earliest: Timestamp) -> Bool {
        !before.isEmpty && earliest <= before.lowerBound
    }

    /// The step that a time before the span is compared with; nil outside of `before`.
    package func stepAfter(_ time: Timestamp) -> Int? {
        before.contains(time) ? step(of: time.adding(seconds: Double(daysBefore * 86_400))) : nil
    }

    package var beforeWords: String {
        switch daysBefore {
        case 1: "day before"
        case 7: "week before"
        default: "\(daysBefore) days before"
        }
    }

    package var stepWords: String {
        switch stepSeconds {
        case 3_600: "hour"
        case ..<86_400: "\(stepSeconds / 3_600) hours"
        case 86_400: "day"
        case 7 * 86_400: "week"
        default: "\(stepSeconds / 7 / 86_400) weeks"
        }
    }
}
