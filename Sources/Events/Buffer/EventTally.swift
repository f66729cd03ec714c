// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What has become of events so far.
public struct EventLogStatus: Sendable, Equatable {
    /// Events that were taken.
    public var recorded: UInt64 = 0
    /// Events that are, or were, on the disk.
    public var written: UInt64 = 0
    /// Events that the server has accepted, those of earlier launches among them.
    public var sent: UInt64 = 0
    /// Events that were dropped, by reason.
    public var drops = DropCounts()
    /// Why events could not be written last, in a sentence; nil when they could.
    public var storeProblem: String?
    /// Why events could not be sent last, in a sentence; nil when they could.
    public var sendingProblem: String?

    /// Nothing has happened.
    public init() {}
}

/// The same, for the threads that bring it about.
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
