// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Positions in a chart, in integer tenths of its units: rounding is the same on all machines.
struct ChartScale {
    static let width = 1_000
    static let height = 300
    // Room for the numbers at the left and the days below.
    private static let left = 560
    private static let top = 100
    private static let bottom = 2_700

    let most: Int
    /// Numbers with a line, from 0 on.
    let ticks: [Int]
    private let stepCount: Int

    init(most: Int, stepCount: Int) {
        let distance = Self.roundDistance(most)
        let count = max((most + distance - 1) / distance, 1)
        ticks = (0...count).map { $0 * distance }
        self.most = count * distance
        self.stepCount = max(stepCount, 1)
    }

    /// 1, 2 or 5 with zeros, for at most five lines above zero.
    private static func roundDistance(_ most: Int) -> Int {
        var distance = 1
        while true {
            for factor in [1, 2, 5] where distance * factor * 5 >= most {
                return distance * factor
            }
            let (next, overflows) = distance.multipliedReportingOverflow(by: 10)
            guard !overflows, next <= Int.max / 25 else { return distance * 5 }
            distance = next
        }
    }

    /// The left edge of a step; `stepCount` gives the right edge of the chart.
    func x(ofStep step: Int) -> Int {
        Self.left + (Self.width * 10 - Self.left) * step / stepCount
    }

    func y(_ number: Int) -> Int {
        Self.bottom - Int(Double(number) / Double(most) * Double(Self.bottom - Self.top))
    }

    static func units(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }
}

struct TimeTicks {
    let ticks: [(step: Int, text: String)]

    private static let most = 10
    private static let distances = [
        3_600, 10_800, 21_600, 43_200, 86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400, 28 * 86_400,
        56 * 86_400, 364 * 86_400, 1_820 * 86_400, 7_280 * 86_400,
    ]

    init(_ span: WeekSpan) {
        let length = span.stepCount * span.stepSeconds
        let distance =
            Self.distances.first { $0 >= span.stepSeconds && length / $0 <= Self.most }
            ?? 14_560 * 86_400
        ticks = (0..<span.stepCount).compactMap { step in
            let time = span.start(ofStep: step)
            guard Int(time.secondsSince1970) % distance < span.stepSeconds else { return nil }
            return (step, Self.text(time))
        }
    }

    private static func text(_ time: Timestamp) -> String {
        let stamp = UTCTime.timestamp(time)
        let hour = String(stamp.dropFirst(11).prefix(5))
        return hour == "00:00" ? String(stamp.dropFirst(5).prefix(5)) : hour
    }
}
