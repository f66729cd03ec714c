// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A session began.
public struct SessionStartDetails: EventDetails {
    /// The session.
    public var sessionID: UUID
    /// Its place among the sessions of this launch, from 1 on.
    public var numberInRun: Int
    /// Its place among the program's sessions of this day, in UTC, from 1 on.
    public var numberInDay: Int

    /// A session with its numbers.
    public init(sessionID: UUID, numberInRun: Int, numberInDay: Int) {
        self.sessionID = sessionID
        self.numberInRun = numberInRun
        self.numberInDay = numberInDay
    }

    public var byteCount: Int { 36 }
}

/// A session ended.
public struct SessionEndDetails: EventDetails {
    /// How a session ended.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// Nothing was done for as long as the timeout, or the program ended it.
        case completed
        /// The program crashed.
        case crashed
        /// The program ended in another way than it meant to: it was killed, or the machine stopped.
        case interrupted
        /// There is no record of its end.
        case unknown
    }

    /// The session.
    public var sessionID: UUID
    /// How it ended.
    public var outcome: Outcome
    /// From its start to the last thing that was done in it, seconds.
    public var durationSeconds: Double
    /// Errors that the program handled in it.
    public var handledErrors: Int

    /// A session that ended.
    public init(
        sessionID: UUID, outcome: Outcome, durationSeconds: Double, handledErrors: Int = 0
    ) {
        self.sessionID = sessionID
        self.outcome = outcome
        self.durationSeconds = durationSeconds
        self.handledErrors = handledErrors
    }

    public var byteCount: Int { 36 }
}

/// How much went without errors in some days.
public struct ErrorFreeDetails: EventDetails {
    /// Of how many days, the present one included.
    public var days: Int
    /// Sessions whose end is known.
    public var sessions: Int
    /// Those of them that a crash ended.
    public var crashedSessions: Int
    /// Sessions whose end is not known; they count in no share.
    public var unknownSessions: Int
    /// Users, or installations where no user is known, that had a session whose end is known.
    public var users: Int
    /// Those of them that had a crash.
    public var crashedUsers: Int
    /// Hours of all sessions.
    public var hours: Double
    /// Of 1; nil where there was no session whose end is known.
    public var crashFreeSessions: Double?
    /// Of 1; nil where there was no such user.
    public var crashFreeUsers: Double?
    /// Hours for each crash; nil where there was none.
    public var hoursPerCrash: Double?

    /// Numbers of some days; the shares follow from them.
    public init(
        days: Int, sessions: Int, crashedSessions: Int, unknownSessions: Int, users: Int,
        crashedUsers: Int, hours: Double
    ) {
        self.days = days
        self.sessions = sessions
        self.crashedSessions = crashedSessions
        self.unknownSessions = unknownSessions
        self.users = users
        self.crashedUsers = crashedUsers
        self.hours = hours
        crashFreeSessions = sessions > 0 ? 1 - Double(crashedSessions) / Double(sessions) : nil
        crashFreeUsers = users > 0 ? 1 - Double(crashedUsers) / Double(users) : nil
        hoursPerCrash = crashedSessions > 0 ? hours / Double(crashedSessions) : nil
    }

    public var byteCount: Int { 0 }
}
