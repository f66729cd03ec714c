// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Figures about the sessions of some days, for each program of a database.
    public struct SessionStatistics: Sendable, Equatable {
        /// The figures of one program.
        public struct Program: Sendable, Equatable {
            /// The bundle id of the program.
            public var bundleID: String
            /// Sessions, users and hours, and how many of them were free of crashes.
            public var errorFree: ErrorFreeDetails
            /// Sessions that were cut short because the process was killed or the machine stopped.
            /// They are among the sessions whose end is known.
            public var interruptedSessions: Int
            /// Sessions in progress. They are not part of any share, but their hours are counted.
            public var runningSessions: Int
            /// Crashes that happened outside of any session.
            public var crashesWithoutSession: Int
            /// Errors that the program handled.
            public var handledErrors: Int
        }

        /// How many days the figures cover, today included.
        public var days: Int
        /// Sorted by bundle id.
        public var programs: [Program]
        /// Lines that could not be decoded, for example after a power failure.
        public var damagedLines: Int
        /// Whether the figures include every session of these days. False if the file of a day was
        /// full or a line could not be read.
        public var isComplete: Bool

        /// Reads the statistics from a database. Changes nothing in it.
        ///
        /// - Parameters:
        ///   - database: the crash report database.
        ///   - days: how many days to cover, today included; values below 1 count as 1.
        ///   - now: the time of day.
        ///   - endings: tells how launches ended whose last sessions are not recorded yet.
        ///   - proc: tells which processes are running.
        package init(
            inDatabase database: Directory, days: Int, now: Timestamp,
            endings: (any LaunchEndings)?,
            proc: ProcFileSystem = ProcFileSystem()
        ) throws(SystemError) {
            let days = min(max(days, 1), 36_600)
            let first = SessionDay(number: max(SessionDay(now).number - days + 1, 0))
            guard let files = try SessionFiles(in: database) else {
                self.init(SessionHistory(), running: [:], days: days)
                return
            }
            var history = try files.history(from: first)
            var running: [String: [SessionRecord]] = [:]
            for (bundleID, launch) in try files.launches() {
                if proc.isRunning(launch.process) != false {
                    if let record = launch.session { running[bundleID, default: []].append(record) }
                    continue
                }
                let ending = endings?.ending(of: launch.process, bundleID: bundleID)
                if let record = launch.record(ending ?? .unknown), record.day >= first {
                    history.add(record, bundleID: bundleID)
                }
            }
            self.init(history, running: running, days: days)
        }

        init(_ history: SessionHistory, running: [String: [SessionRecord]], days: Int) {
            self.days = days
            damagedLines = history.damagedLines
            isComplete = history.damagedLines == 0 && !history.isCut
            let names = Set(history.records.keys).union(running.keys).sorted()
            programs = names.map { name in
                Program(
                    name, Array((history.records[name] ?? [:]).values), running[name] ?? [],
                    days: days)
            }
        }
    }
}

extension SessionStatistics.Program {
    init(
        _ bundleID: String, _ records: [SessionRecord], _ running: [SessionRecord], days: Int
    ) {
        let sessions = records.filter(\.isSession)
        let known = sessions.filter { $0.outcome != .unknown }
        let crashed = known.filter { $0.outcome == .crashed }
        let seconds = (sessions + running).reduce(0) { $0 + $1.durationSeconds }
        self.bundleID = bundleID
        errorFree = ErrorFreeDetails(
            days: days, sessions: known.count, crashedSessions: crashed.count,
            unknownSessions: sessions.count - known.count,
            // Sessions without a user all belong to one user: this installation.
            users: Set(known.map(\.userKey)).count,
            crashedUsers: Set(crashed.map(\.userKey)).count, hours: seconds / 3_600)
        interruptedSessions = known.count { $0.outcome == .interrupted }
        runningSessions = running.count
        crashesWithoutSession = records.count { !$0.isSession }
        handledErrors = (sessions + running).reduce(0) { $0 + $1.handledErrors }
    }
}
