// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A stretch of time in which the program was at work, without a pause as long as the timeout.
public struct Session: Sendable, Equatable {
    /// Its own.
    public let id: UUID
    /// Its place among the sessions of this launch, from 1 on.
    public let numberInRun: Int
    /// When it began, by the time of day.
    public let startTime: Date
    /// From its start to the last activity, seconds, by a clock that is never set.
    public internal(set) var durationSeconds: Double
    /// Errors that the program handled in it.
    public internal(set) var handledErrors: Int

    /// A number that stands for its user; nil where none is known.
    let userKey: UInt64?
}

/// How sessions are told apart. Values out of range become the nearest that is in it.
public struct SessionOptions: Sendable, Equatable {
    /// How long nothing is done before a session is over, seconds, 1 to 86,400.
    public var idleSeconds = 30.0 {
        didSet { idleSeconds = idleSeconds >= 1 ? min(idleSeconds, 86_400) : 1 }
    }
    /// Whether the start of the program begins a session. Otherwise the first activity does.
    public var startsAtLaunch = true
    /// How often the state of a running session is written down, seconds, 1 to 3,600: by so much the
    /// length of a session that a crash ends may be too short.
    public var noteSeconds = 10.0 {
        didSet { noteSeconds = noteSeconds >= 1 ? min(noteSeconds, 3_600) : 1 }
    }
    /// How many days sessions are kept for statistics, 1 to 3,660.
    public var keptDays = 90 { didSet { keptDays = min(max(keptDays, 1), 3_660) } }
    /// Of how many days the event `errorFree` tells, which is recorded at the start and once a day;
    /// 0 for none, at most `keptDays`.
    public var statisticsDays = 30 {
        didSet { statisticsDays = min(max(statisticsDays, 0), 3_660) }
    }

    /// The values given above.
    public init() {}
}
