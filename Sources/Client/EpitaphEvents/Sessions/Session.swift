// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A period of activity without a pause as long as the idle timeout.
    public struct Session: Sendable, Equatable {
        public let id: Epitaph.ID
        /// Number of this session within the launch, from 1.
        public let numberInRun: Int
        /// By the wall clock.
        public let startTime: Timestamp
        /// From its start to the last activity, by a monotonic clock.
        public internal(set) var duration: Duration
        public internal(set) var handledErrors: Int

        /// A number that stands for the user; nil if unknown.
        let userKey: UInt64?
    }

    /// Options of sessions. Values out of range are clamped.
    public struct SessionOptions: Sendable, Equatable {
        /// The pause that ends a session, 1 s to a day.
        public var idleTime = Duration.seconds(30) {
            didSet { idleTime = idleTime.clamped(to: .seconds(1) ... .seconds(86_400)) }
        }
        /// Whether the start of the program begins a session. Otherwise the first activity does.
        public var startsAtLaunch = true
        /// How often a running session is written to disk, 1 s to an hour. After a crash, its
        /// recorded length may be too short by this much.
        public var noteInterval = Duration.seconds(10) {
            didSet { noteInterval = noteInterval.clamped(to: .seconds(1) ... .seconds(3_600)) }
        }
        /// Days that sessions are kept for statistics, 1 to 3,660.
        public var keptDays = 90 { didSet { keptDays = min(max(keptDays, 1), 3_660) } }
        /// Days of the event `errorFree`, at most `keptDays`, once a day; 0 turns it off.
        public var statisticsDays = 30 {
            didSet { statisticsDays = min(max(statisticsDays, 0), 3_660) }
        }

        public init() {}
    }
}
