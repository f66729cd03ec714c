// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Figures about recent sessions of each program in a database.
    public struct SessionStatistics: Sendable, Equatable {
        public struct Program: Sendable, Equatable {
            public var bundleID: String
            public var errorFree: ErrorFreeDetails
            /// Sessions cut short by a kill or machine stop. They count as having a known end.
            public var interruptedSessions: Int
            /// Sessions in progress. Excluded from shares, but their hours count.
            public var runningSessions: Int
            /// Crashes outside of any session.
            public var crashesWithoutSession: Int
            public var handledErrors: Int
        }

        /// Number of days, including today.
        public var days: Int
        /// Sorted by bundle id.
        public var programs: [Program]
        /// Lines that could not be decoded, for example after a power failure.
        public var damagedLines: Int
        /// False if the file of a day was full or a line could not be read.
        public var isComplete: Bool

        /// Reads the statistics of a database, without changing it.
        ///
        /// - Parameters:
        ///   - days: including today; values below 1 count as 1.
        ///   - endings: how launches ended whose last sessions are not recorded yet.
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
            // All sessions without a user count as one user: this installation.
            users: Set(known.map(\.userKey)).count,
            crashedUsers: Set(crashed.map(\.userKey)).count, hours: seconds / 3_600)
        interruptedSessions = known.count { $0.outcome == .interrupted }
        runningSessions = running.count
        crashesWithoutSession = records.count { !$0.isSession }
        handledErrors = (sessions + running).reduce(0) { $0 + $1.handledErrors }
    }
}
