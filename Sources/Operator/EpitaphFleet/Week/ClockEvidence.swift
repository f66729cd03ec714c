// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What other clocks say of a crash's time, which is that of its machine's clock.
///
/// A time that cannot be true is doubtful, and so is one that nothing confirms and that is before
/// another machine first saw the release. One that only came late is believed, but proves no first
/// crash: a clock that is weeks behind looks the same. docs/fleet.sql has the same.
enum ClockEvidence {
    /// How far two clocks may differ.
    static let toleranceSeconds = 3_600
    /// A report that arrives within this time confirms its machine's clock; a release may run
    /// this long before its first confirmed crash.
    static let promptSeconds = 86_400
}

extension Sighting {
    struct Release: Hashable {
        let program: String
        let version: String
    }

    var release: Release { Release(program: program, version: version) }

    /// Whether the clock had been set, and was not ahead.
    var isPossible: Bool {
        guard time >= .earliestSetClock else { return false }
        guard let arrived, arrived >= .earliestSetClock else { return true }
        return time <= arrived.adding(seconds: Double(ClockEvidence.toleranceSeconds))
    }

    /// Whether nothing confirms its time. The time of a report counts if its arrival is unknown.
    var isLate: Bool { arrived.map { $0 > promptEnd } ?? false }

    /// - Parameter first: the first confirmed crash of its release, if there is one.
    func isDoubtful(first: Sighting?) -> Bool {
        guard isPossible else { return true }
        guard isLate, let first, first.host != host else { return false }
        return promptEnd < first.time
    }

    private var promptEnd: Timestamp {
        time.adding(seconds: Double(ClockEvidence.promptSeconds))
    }
}
