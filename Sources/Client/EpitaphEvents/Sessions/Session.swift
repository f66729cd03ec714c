// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A period in which the program was at work, without a pause as long as the idle timeout.
    public struct Session: Sendable, Equatable {
        /// Identifies this session.
        public let id: Epitaph.ID
        /// The number of this session within the launch, counted from 1.
        public let numberInRun: Int
        /// When it began, by the wall clock.
        public let startTime: Timestamp
        /// From its start to the last activity, by a clock that is never set.
        public internal(set) var duration: Duration
        /// Errors that the program handled during the session.
        public internal(set) var handledErrors: Int

        /// A number that stands for the user; nil if the user is not known.
        let userKey: UInt64?
    }
}

extension Epitaph {
    /// When a session begins and ends. Values out of range become the nearest valid value.
    public struct SessionOptions: Sendable, Equatable {
        /// How long the program may be idle before the session is over, 1 s to a day. 30 s unless set.
        public var idleTime = Duration.seconds(30) {
            didSet { idleTime = idleTime.clamped(to: .seconds(1) ... .seconds(86_400)) }
        }
        /// Whether the start of the program begins a session. Otherwise the first activity does.
        public var startsAtLaunch = true
        /// How often the state of a running session is written to disk, 1 s to an hour. If
        /// a crash ends a session, its recorded length may be too short by this much.
        public var noteInterval = Duration.seconds(10) {
            didSet { noteInterval = noteInterval.clamped(to: .seconds(1) ... .seconds(3_600)) }
        }
        /// How many days sessions are kept for statistics, 1 to 3,660.
        public var keptDays = 90 { didSet { keptDays = min(max(keptDays, 1), 3_660) } }
        /// How many days the event `errorFree` covers. The event is recorded at the start and once
        /// a day; 0 turns it off. At most `keptDays`.
        public var statisticsDays = 30 {
            didSet { statisticsDays = min(max(statisticsDays, 0), 3_660) }
        }

        /// Options with the defaults given above.
        public init() {}
    }
}
