// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// When the programs of a database were active: their sessions, running ones included.
package struct SessionHours: Sendable {
    private var times: [String: [Range<Double>]] = [:]
    package let isComplete: Bool

    package var bundleIDs: Set<String> { Set(times.keys) }

    /// Reads the sessions that began in or after the day of `first`, without changing anything.
    package init(inDatabase database: Directory, from first: Timestamp) throws(SystemError) {
        guard let files = try SessionFiles(in: database) else {
            isComplete = true
            return
        }
        // A session may have begun the day before.
        var history = try files.history(
            from: SessionDay(number: max(SessionDay(first).number - 1, 0)))
        isComplete = history.damagedLines == 0 && !history.isCut
        for (bundleID, launch) in try files.launches() {
            guard let session = launch.session else { continue }
            history.add(session, bundleID: bundleID)
        }
        for (bundleID, records) in history.records {
            times[bundleID] = records.values.filter(\.isSession).map { record in
                let start = record.startTime.secondsSince1970
                return start..<(start + record.durationSeconds)
            }
        }
    }

    package func byHour(of bundleID: String, in time: Range<Timestamp>) -> [Int: Double] {
        let whole = time.lowerBound.secondsSince1970..<time.upperBound.secondsSince1970
        var found: [Int: Double] = [:]
        for session in (times[bundleID] ?? []).map({ $0.clamped(to: whole) }) {
            var start = session.lowerBound
            while start < session.upperBound {
                let hour = (start / 3_600).rounded(.down)
                let end = min((hour + 1) * 3_600, session.upperBound)
                found[Int(hour), default: 0] += (end - start) / 3_600
                start = end
            }
        }
        return found
    }

    package func hours(of bundleID: String, in time: Range<Timestamp>) -> Double {
        let whole = time.lowerBound.secondsSince1970..<time.upperBound.secondsSince1970
        return (times[bundleID] ?? []).reduce(0) { sum, session in
            let common = session.clamped(to: whole)
            return sum + (common.upperBound - common.lowerBound) / 3_600
        }
    }
}
