// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Decides when memory is scarce. Pure: readings and times are passed in. A warning begins at
    /// one threshold and ends below a lower one, after a delay: usage that moves around a threshold
    /// causes a single warning.
    public struct PressureJudge: Sendable {
        /// The thresholds.
        public struct Marks: Sendable, Equatable {
            /// Used share of the limit, 0.5 to 1, from which memory is scarce; 0.9 unless set.
            public var usedShare = 0.9 {
                didSet { usedShare = min(max(usedShare, 0.5), 1) }
            }
            /// Percent of ten seconds that tasks waited for memory, 1 to 100; 10 unless set.
            public var stallPercent = 10.0 {
                didSet { stallPercent = min(max(stallPercent, 1), 100) }
            }
            /// How long all figures must be below the lower thresholds before the warning ends, 1 s
            /// to an hour. The default is 10 s.
            public var calmTime = Duration.seconds(10) {
                didSet { calmTime = calmTime.clamped(to: .seconds(1) ... .seconds(3_600)) }
            }

            /// The default thresholds.
            public init() {}

            /// A warning ends below eight ninths of the share and half of the stall threshold.
            var calmShare: Double { usedShare * 8 / 9 }
            var calmStallPercent: Double { stallPercent / 2 }
        }

        package enum Change: Sendable, Equatable {
            case began(String)
            case ended
        }

        private let marks: Marks
        private var isWarning = false
        private var calmSince: Double?
        private var lastLimitHits: UInt64?

        package init(marks: Marks = Marks()) {
            self.marks = marks
        }

        /// Evaluates one reading; nil if nothing has changed.
        ///
        /// - Parameters:
        ///   - hasTriggered: whether the kernel itself reported that tasks stall.
        ///   - secondsLeft: until the limit, if it comes near at the present speed.
        ///   - seconds: of a monotonic clock.
        package mutating func look(
            at reading: MemoryReading, hasTriggered: Bool, secondsLeft: Double? = nil,
            seconds: Double
        ) -> Change? {
            let hits = reading.limitHits ?? 0
            let hasHit = hits > lastLimitHits ?? hits
            lastLimitHits = reading.limitHits
            let cause = cause(reading, hasTriggered, hasHit, secondsLeft)
            guard isWarning else {
                guard let cause else { return nil }
                isWarning = true
                calmSince = nil
                return .began(cause)
            }
            guard cause == nil, isCalm(reading) else {
                calmSince = nil
                return nil
            }
            // If the clock went backwards the delay starts again.
            guard let since = calmSince, seconds >= since else {
                calmSince = seconds
                return nil
            }
            guard seconds - since >= marks.calmTime.inSeconds else { return nil }
            isWarning = false
            return .ended
        }

        private func cause(
            _ reading: MemoryReading, _ hasTriggered: Bool, _ hasHit: Bool, _ secondsLeft: Double?
        ) -> String? {
            if let share = reading.usedShare, share >= marks.usedShare {
                let percent = Int(share * 100)
                return "\(percent) % of the memory that there is for it is used"
            }
            if let secondsLeft {
                return "at its present speed it meets its limit in \(Int(secondsLeft * 1_000)) ms"
            }
            if hasHit { return "its control group met its limit" }
            if let stall = reading.stallPercent, stall >= marks.stallPercent {
                return "tasks waited for memory for \(stall) % of ten seconds"
            }
            return hasTriggered ? "the kernel says that tasks wait for memory" : nil
        }

        private func isCalm(_ reading: MemoryReading) -> Bool {
            (reading.usedShare ?? 0) < marks.calmShare
                && (reading.stallPercent ?? 0) < marks.calmStallPercent
        }
    }
}
