// SPDX-License-Identifier: Apache-2.0

/// When memory counts as scarce, and when it does no more. Pure: readings and times come in.
///
/// It begins at one mark and ends at a lower one, and only after a while: memory that goes up and
/// down around a mark is one warning.
public struct PressureJudge: Sendable {
    /// From which values on.
    public struct Marks: Sendable, Equatable {
        /// Used share of the limit, 0.5 to 1, from which memory is scarce; 0.9 unless set.
        public var usedShare = 0.9 {
            didSet { usedShare = min(max(usedShare, 0.5), 1) }
        }
        /// Percent of ten seconds that tasks waited for memory, 1 to 100; 10 unless set.
        public var stallPercent = 10.0 {
            didSet { stallPercent = min(max(stallPercent, 1), 100) }
        }
        /// For how long all has to be well before the warning ends, in seconds, 1 to 3,600; 10
        /// unless set.
        public var calmSeconds = 10.0 {
            didSet { calmSeconds = min(max(calmSeconds, 1), 3_600) }
        }

        /// The defaults.
        public init() {}

        /// What a warning ends below: a ninth of the share less, half the stall.
        var calmShare: Double { usedShare * 8 / 9 }
        var calmStallPercent: Double { stallPercent / 2 }
    }

    /// What a look found.
    public enum Change: Sendable, Equatable {
        /// Memory is scarce from now on, and why, as a clause.
        case began(String)
        /// It has not been for a while.
        case ended
    }

    private let marks: Marks
    private var isWarning = false
    private var calmSince: Double?
    private var lastLimitHits: UInt64?

    /// Nothing is scarce yet.
    public init(marks: Marks = Marks()) {
        self.marks = marks
    }

    /// One look.
    ///
    /// - Parameters:
    ///   - reading: how things stand.
    ///   - hasTriggered: whether the kernel itself said that tasks stall.
    ///   - seconds: by a clock that is never set.
    /// - Returns: nil where nothing has changed.
    public mutating func look(
        at reading: MemoryReading, hasTriggered: Bool, seconds: Double
    ) -> Change? {
        let hits = reading.limitHits ?? 0
        let hasHit = hits > lastLimitHits ?? hits
        lastLimitHits = reading.limitHits
        let cause = cause(reading, hasTriggered, hasHit)
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
        // A clock that goes backwards begins the wait anew.
        guard let since = calmSince, seconds >= since else {
            calmSince = seconds
            return nil
        }
        guard seconds - since >= marks.calmSeconds else { return nil }
        isWarning = false
        return .ended
    }

    private func cause(
        _ reading: MemoryReading, _ hasTriggered: Bool, _ hasHit: Bool
    ) -> String? {
        if let share = reading.usedShare, share >= marks.usedShare {
            let percent = Int(share * 100)
            return "\(percent) % of the memory that there is for it is used"
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
