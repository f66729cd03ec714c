// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Counts of events so far.
    public struct EventLogStatus: Sendable, Equatable {
        public var recorded: UInt64 = 0
        public var written: UInt64 = 0
        /// Events that the server accepted, including those of earlier launches.
        public var sent: UInt64 = 0
        public var drops = DropCounts()
        /// Why the last write failed; nil if it succeeded.
        public var storeProblem: String?
        /// Why the last request failed; nil if it succeeded.
        public var sendingProblem: String?

        public init() {}
    }
}

final class EventTally: Sendable {
    private let status = ForkSafeMutex(EventLogStatus())

    var present: EventLogStatus { status.withLock { $0 } }

    func change(_ change: (inout EventLogStatus) -> Void) { status.withLock { change(&$0) } }

    func drop(_ number: Int, _ reason: DropReason) {
        guard number > 0 else { return }
        status.withLock { $0.drops.add(number, reason) }
    }

    func drop(_ counts: DropCounts) {
        for reason in DropReason.allCases { drop(Int(clamping: counts[reason]), reason) }
    }
}
