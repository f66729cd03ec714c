// SPDX-License-Identifier: Apache-2.0

import Events
import FoundationEssentials
import LinuxSystem

/// What the sessions of some days came to, for each program of a database.
public struct SessionStatistics: Sendable, Equatable {
    /// The figures of one program.
    public struct Program: Sendable, Equatable {
        /// The name of the program in file names.
        public var bundleID: String
        /// Sessions, users and hours, and how many of them were free of crashes.
        public var errorFree: ErrorFreeDetails
        /// Sessions that were cut short by a kill or the machine; among those whose end is known.
        public var interruptedSessions: Int
        /// Sessions that run now; they count in no share, and their hours do.
        public var runningSessions: Int
        /// Crashes in moments without a session.
        public var crashesWithoutSession: Int
        /// Errors that the program handled.
        public var handledErrors: Int
    }

    /// Of how many days, the present one included.
    public var days: Int
    /// In the order of their names.
    public var programs: [Program]
    /// Lines that hold no session, after a power failure for example.
    public var damagedLines: Int
    /// Whether every session of these days is in the figures. False where a day had more than are
    /// recorded, or a line could not be read.
    public var isComplete: Bool

    /// Reads a database. Changes nothing in it.
    ///
    /// - Parameters:
    ///   - database: the crash report database.
    ///   - days: the present one included; less than 1 counts as 1.
    ///   - now: the time of day.
    ///   - endings: says how launches ended whose sessions are not recorded yet.
    ///   - proc: says which processes run.
    public init(
        inDatabase database: Directory, days: Int, now: Date, endings: (any LaunchEndings)?,
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
            // All sessions without a user are this installation's.
            users: Set(known.map(\.userKey)).count,
            crashedUsers: Set(crashed.map(\.userKey)).count, hours: seconds / 3_600)
        interruptedSessions = known.count { $0.outcome == .interrupted }
        runningSessions = running.count
        crashesWithoutSession = records.count { !$0.isSession }
        handledErrors = (sessions + running).reduce(0) { $0 + $1.handledErrors }
    }
}
