// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A session began.
    public struct SessionStartDetails: EventDetails {
        /// The session.
        public var sessionID: Epitaph.ID
        /// The number of this session within the launch, counted from 1.
        public var numberInRun: Int
        /// The number of this session among the program's sessions of this day, in UTC, counted
        /// from 1.
        public var numberInDay: Int

        /// A session with its numbers.
        public init(sessionID: Epitaph.ID, numberInRun: Int, numberInDay: Int) {
            self.sessionID = sessionID
            self.numberInRun = numberInRun
            self.numberInDay = numberInDay
        }

        public var byteCount: Int { 36 }
    }
}

extension Epitaph {
    /// A session ended.
    public struct SessionEndDetails: EventDetails {
        /// How a session ended.
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// The program was idle for as long as the timeout, or ended the session.
            case completed
            /// The program crashed.
            case crashed
            /// The program ended without a crash and without marking a clean end: it was killed,
            /// called _exit(2), or the machine stopped.
            case interrupted
            /// Nothing was recorded about its end.
            case unknown
        }

        /// The session.
        public var sessionID: Epitaph.ID
        /// How it ended.
        public var outcome: Outcome
        /// From its start to the last activity, in seconds.
        public var durationSeconds: Double
        /// Errors that the program handled during the session.
        public var handledErrors: Int

        /// A session that ended.
        public init(
            sessionID: Epitaph.ID, outcome: Outcome, durationSeconds: Double, handledErrors: Int = 0
        ) {
            self.sessionID = sessionID
            self.outcome = outcome
            self.durationSeconds = durationSeconds
            self.handledErrors = handledErrors
        }

        public var byteCount: Int { 36 }
    }
}

extension Epitaph {
    /// How much of some days was free of errors.
    public struct ErrorFreeDetails: EventDetails {
        /// How many days it covers, today included.
        public var days: Int
        /// Sessions whose end is known.
        public var sessions: Int
        /// How many of them ended with a crash.
        public var crashedSessions: Int
        /// Sessions whose end is not known; they are not part of any share.
        public var unknownSessions: Int
        /// Users, or installations if no user is known, that had a session whose end is known.
        public var users: Int
        /// How many of them had a crash.
        public var crashedUsers: Int
        /// Hours of all sessions.
        public var hours: Double
        /// A share from 0 to 1; nil if there was no session whose end is known.
        public var crashFreeSessions: Double?
        /// A share from 0 to 1; nil if there was no such user.
        public var crashFreeUsers: Double?
        /// Hours of sessions for each crash; nil if there was no crash.
        public var hoursPerCrash: Double?

        /// Creates the figures; the shares are computed from them.
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
}
