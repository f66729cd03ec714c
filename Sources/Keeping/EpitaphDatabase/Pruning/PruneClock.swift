// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Decides whether the time of day may be used for ages of reports, by comparing it with earlier
/// passes.
///
/// A clock that is wrong for an hour, after a start without network or with an empty battery, must
/// not cost a database its reports. A jump of more than a day back or more than a year ahead is
/// believed only if a pass a day later, by the same clock, still sees it. A later pass that sees
/// another jump confirms nothing.
package struct PruneClock: Sendable, Equatable {
    /// Seconds since 1970.
    package private(set) var believedSeconds: Int64
    /// When a jump was first seen, by the clock that jumped.
    package private(set) var jumpSeconds: Int64?

    static let largestStepBackSeconds: Int64 = 86_400
    static let largestStepAheadSeconds: Int64 = 366 * 86_400
    static let confirmationSeconds: Int64 = 86_400

    package init(believedSeconds: Int64, jumpSeconds: Int64? = nil) {
        self.believedSeconds = believedSeconds
        self.jumpSeconds = jumpSeconds
    }

    /// The state after a pass at `now`, and whether that pass may use ages.
    ///
    /// - Parameters:
    ///   - clock: nil if there was no pass before.
    ///   - witness: the latest time in any file of the database, for a missing pass. After a pass
    ///     it is ignored, because a clock that is wrong now may have written it. Without either
    ///     there is nothing to lose, and any possible time is believed.
    package static func next(
        after clock: PruneClock?, witness: Timestamp? = nil, at now: Timestamp
    ) -> (clock: PruneClock?, isTrusted: Bool) {
        let seconds = now.wholeSeconds
        guard seconds >= Timestamp.earliestSetClock.wholeSeconds else { return (clock, false) }
        let earlier = clock ?? witness.map { PruneClock(believedSeconds: $0.wholeSeconds) }
        guard let clock = earlier else { return (PruneClock(believedSeconds: seconds), true) }
        let isNear = isBetween(
            seconds, after: clock.believedSeconds, -largestStepBackSeconds,
            largestStepAheadSeconds)
        let isConfirmed =
            clock.jumpSeconds.map {
                isBetween(seconds, after: $0, confirmationSeconds, largestStepAheadSeconds)
            } ?? false
        guard !isNear, !isConfirmed else { return (PruneClock(believedSeconds: seconds), true) }
        let isSameJump =
            clock.jumpSeconds.map { isBetween(seconds, after: $0, 0, confirmationSeconds) }
            ?? false
        var suspicious = clock
        if !isSameJump { suspicious.jumpSeconds = seconds }
        return (suspicious, false)
    }

    private static func isBetween(
        _ seconds: Int64, after start: Int64, _ least: Int64, _ most: Int64
    ) -> Bool {
        let (distance, overflow) = seconds.subtractingReportingOverflow(start)
        return !overflow && distance >= least && distance <= most
    }
}

/// `epitaph-prune-clock 1 BELIEVED JUMP`, with `-` for no jump. Other contents count as none.
extension PruneClock {
    /// Larger than any such file.
    package static let byteLimit = 128
    private static let mark = "epitaph-prune-clock"

    package init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == Self.mark, words[1] == "1",
            let believed = Int64(words[2]), words[3].last == "\n"
        else { return nil }
        let jump = words[3].dropLast()
        guard jump == "-" || Int64(jump) != nil else { return nil }
        self.init(believedSeconds: believed, jumpSeconds: Int64(jump))
    }

    package var bytes: [UInt8] {
        let jump = jumpSeconds.map { String($0) } ?? "-"
        return Array("\(Self.mark) 1 \(believedSeconds) \(jump)\n".utf8)
    }
}

/// The database's evidence about the time of day before anything is written to it.
package struct ClockWitness: Sendable, Equatable {
    /// Nil if there is none, or if an earlier pass has recorded the time.
    package let latestTime: Timestamp?
}

extension ReportDatabase {
    /// Call it before filing reports: these get the time of the clock in question.
    package func clockWitness() -> ClockWitness {
        guard storedPruneClock() == nil else { return ClockWitness(latestTime: nil) }
        let reports = (try? allReports().reports) ?? []
        let times =
            reports.map(\.creationTime) + reports.compactMap(\.lastUploadAttemptTime)
            + [((try? storedSettings()) ?? nil)?.lastUploadAttemptTime].compactMap { $0 }
        return ClockWitness(latestTime: times.max())
    }
}
