// SPDX-License-Identifier: Apache-2.0

/// Decides which errors become reports: the first of a kind at once, the number of the others at
/// the end of a window, within a rate per minute. Has no clock; its memory is bounded.
struct FloodControl {
    static let entryLimit = 256

    enum Verdict: Equatable {
        case report
        /// Only counted: a report of this kind was made recently.
        case counted
        /// Dropped and counted as such: the rate is used up.
        case tooMany
    }

    struct FollowUp: Equatable {
        var key: UInt64
        var count: Int
        /// The first and the last of them, by the clock of `admit`.
        var firstSeconds: Double
        var lastSeconds: Double

        var seconds: Int { Int((lastSeconds - firstSeconds).rounded(.up)) }
    }

    private struct Entry {
        var windowEnd: Double
        var count = 0
        var firstSeconds = 0.0
        var lastSeconds = 0.0
    }

    private let perMinute: Double
    private let windowSeconds: Double
    private var entries: [UInt64: Entry] = [:]
    /// Reports that may be made now. Refills within one minute.
    private var allowance: Double
    private var allowanceSeconds: Double?
    /// The end of the earliest window, or before that: entries are checked only from then on.
    private var earliestEnd = Double.infinity

    init(perMinute: Int, windowSeconds: Double) {
        self.perMinute = Double(perMinute)
        self.windowSeconds = windowSeconds
        allowance = Double(perMinute)
    }

    /// By a monotonic clock. `key` is the kind; nil if it must not be counted with others.
    mutating func admit(_ key: UInt64?, at seconds: Double) -> Verdict {
        guard let key else { return takesAllowance(at: seconds) ? .report : .tooMany }
        if var entry = entries[key] {
            if entry.count == 0 { entry.firstSeconds = seconds }
            // If the window ended without another error of this kind, the kind is new again.
            if entry.count > 0 || seconds < entry.windowEnd {
                entry.count += 1
                entry.lastSeconds = seconds
                entries[key] = entry
                return .counted
            }
        }
        guard takesAllowance(at: seconds) else { return .tooMany }
        if entries.count >= Self.entryLimit, entries[key] == nil { forgetQuiet(at: seconds) }
        // With more kinds than this, only the rate of reports is limited.
        if entries.count < Self.entryLimit || entries[key] != nil {
            entries[key] = Entry(windowEnd: seconds + windowSeconds)
            earliestEnd = min(earliestEnd, seconds + windowSeconds)
        }
        return .report
    }

    mutating func add(_ counted: RepeatCounters.Count) {
        var entry = entries[counted.key] ?? Entry(windowEnd: counted.lastSeconds)
        let begin = max(counted.firstSeconds, entry.windowEnd - windowSeconds)
        if entry.count == 0 { entry.firstSeconds = begin }
        entry.count += counted.count
        entry.lastSeconds = max(entry.lastSeconds, counted.lastSeconds, entry.firstSeconds)
        entries[counted.key] = entry
        earliestEnd = min(earliestEnd, entry.windowEnd)
    }

    func count(of key: UInt64) -> Int { entries[key]?.count ?? 0 }

    func windowEnd(of key: UInt64) -> Double? { entries[key]?.windowEnd }

    /// When the next report is allowed; in the past if it is allowed now.
    func nextAllowance(at seconds: Double) -> Double {
        perMinute > 0 ? seconds + (1 - allowance) * 60 / perMinute : .infinity
    }

    /// When a follow-up may be due; nil if no kind is tracked.
    var nextEnd: Double? { entries.isEmpty ? nil : earliestEnd }

    /// Takes the next count whose window has ended, and starts another window for its kind. If the
    /// rate does not allow its report, it stays and goes on counting. `all` takes those whose
    /// window has not ended, too, ignoring the rate, because there will be no later occasion.
    mutating func takeFollowUp(at seconds: Double, all: Bool = false) -> FollowUp? {
        guard all || seconds >= earliestEnd else { return nil }
        for (key, entry) in entries where entry.count > 0 && (all || entry.windowEnd <= seconds) {
            guard all || takesAllowance(at: seconds) else {
                earliestEnd = seconds + 60 / max(perMinute, 1)
                return nil
            }
            entries[key] = Entry(windowEnd: seconds + windowSeconds)
            return FollowUp(
                key: key, count: entry.count, firstSeconds: entry.firstSeconds,
                lastSeconds: entry.lastSeconds)
        }
        forgetQuiet(at: seconds)
        earliestEnd = entries.values.map(\.windowEnd).min() ?? .infinity
        return nil
    }

    func knows(_ key: UInt64) -> Bool { entries[key] != nil }

    private mutating func forgetQuiet(at seconds: Double) {
        entries = entries.filter { $0.value.count > 0 || $0.value.windowEnd > seconds }
    }

    private mutating func takesAllowance(at seconds: Double) -> Bool {
        let passed = max(seconds - (allowanceSeconds ?? seconds), 0)
        allowance = min(allowance + passed * perMinute / 60, perMinute)
        allowanceSeconds = seconds
        guard allowance >= 1 else { return false }
        allowance -= 1
        return true
    }
}
