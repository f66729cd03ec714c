// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// Counts of what happened to events so far.
    public struct EventLogStatus: Sendable, Equatable {
        /// Events that were accepted.
        public var recorded: UInt64 = 0
        /// Events that were written to disk.
        public var written: UInt64 = 0
        /// Events that the server accepted, including those of earlier launches.
        public var sent: UInt64 = 0
        /// Events that were dropped, by reason.
        public var drops = DropCounts()
        /// Why events could not be written the last time, as a sentence; nil if they could.
        public var storeProblem: String?
        /// Why events could not be sent the last time, as a sentence; nil if they could.
        public var sendingProblem: String?

        /// All counts zero.
        public init() {}
    }
}

/// The same counts, shared by the threads that update them.
final class EventTally: Sendable {
    private let status = Mutex(EventLogStatus())

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
