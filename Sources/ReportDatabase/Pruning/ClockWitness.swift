// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// What a database can say of the time of day before anything is written to it.
public struct ClockWitness: Sendable, Equatable {
    /// The latest time that a file of it holds: of a filing or an attempt to send. Nil where there is
    /// none, or nobody needs to know, because an earlier pass has written down the time.
    public let latestTime: Date?
}

extension ReportDatabase {
    /// To be asked before reports are filed by whoever prunes afterwards: they bear the time of the
    /// clock that is in question.
    public func clockWitness() -> ClockWitness {
        guard storedPruneClock() == nil else { return ClockWitness(latestTime: nil) }
        let reports = (try? allReports().reports) ?? []
        let times =
            reports.map(\.creationTime) + reports.compactMap(\.lastUploadAttemptTime)
            + [((try? storedSettings()) ?? nil)?.lastUploadAttemptTime].compactMap { $0 }
        return ClockWitness(latestTime: times.max())
    }
}
