// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A session began.
    public struct SessionStartDetails: EventDetails {
        public var sessionID: Epitaph.ID
        /// Number of this session within the launch, from 1.
        public var numberInRun: Int
        /// Number of this session among the program's sessions of this UTC day, from 1.
        public var numberInDay: Int

        public init(sessionID: Epitaph.ID, numberInRun: Int, numberInDay: Int) {
            self.sessionID = sessionID
            self.numberInRun = numberInRun
            self.numberInDay = numberInDay
        }

        public var byteCount: Int { 36 }
    }

    /// A session ended.
    public struct SessionEndDetails: EventDetails {
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// The timeout passed without activity, or the program ended the session.
            case completed
            case crashed
            /// Ended without a crash or a clean end: killed, _exit(2), or machine stop.
            case interrupted
            /// Its end was not recorded.
            case unknown
        }

        public var sessionID: Epitaph.ID
        public var outcome: Outcome
        /// From its start to the last activity, in seconds.
        public var durationSeconds: Double
        /// Errors that the program handled during the session.
        public var handledErrors: Int

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

    /// The share of recent days without errors.
    public struct ErrorFreeDetails: EventDetails {
        /// Number of days, including today.
        public var days: Int
        /// Sessions with a known end.
        public var sessions: Int
        public var crashedSessions: Int
        /// Sessions with an unknown end, excluded from every share.
        public var unknownSessions: Int
        /// Users with a session that has a known end; installations if no user is known.
        public var users: Int
        public var crashedUsers: Int
        public var hours: Double
        /// Share from 0 to 1; nil without sessions with a known end.
        public var crashFreeSessions: Double?
        /// Share from 0 to 1; nil without such users.
        public var crashFreeUsers: Double?
        /// Hours of sessions per crash; nil without crashes.
        public var hoursPerCrash: Double?

        /// Computes the shares from the counts.
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
