// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

final class SessionKeeper: Sendable {
    private struct Desk {
        var files: SessionFiles?
        var numbersOfDays: [SessionDay: Int] = [:]
        var written: RunningLaunch?
        var reportedDay: SessionDay?
        var problem: String?
    }

    private let databasePath: String
    private let bundleID: String
    private let options: SessionOptions
    private let recorder: any EventRecorder
    private let endings: (any LaunchEndings)?
    private let launchID: Epitaph.ID
    private let clock: any StoppableClock
    private let proc = ProcFileSystem()
    private let process: ProcessIdentity
    private let desk = ForkSafeMutex(Desk())

    /// After this time an unknown end of a launch is recorded as unknown.
    private static let patienceSeconds = 7 * 86_400.0

    init(
        databasePath: String, bundleID: String, options: SessionOptions,
        recorder: any EventRecorder, endings: (any LaunchEndings)?, launchID: Epitaph.ID,
        clock: any StoppableClock
    ) {
        self.databasePath = databasePath
        self.bundleID = bundleID
        self.options = options
        self.recorder = recorder
        self.endings = endings
        self.launchID = launchID
        self.clock = clock
        process =
            proc.ownIdentity()
            ?? ProcessIdentity(
                processID: ProcFileSystem.ownProcessID, startTicks: 0, pidNamespace: 0,
                bootID: nil)
    }

    var problem: String? { desk.withLock { $0.problem } }

    func keep(_ changes: [SessionState.Change], _ session: Session?) {
        var events: [EventPayload] = []
        desk.withLock { desk in
            do throws(SystemError) {
                let files = try opened(&desk)
                for change in changes {
                    let event = try keep(change, files, &desk)
                    events.append(event)
                }
                let launch = running(session)
                if launch != desk.written { try files.write(launch, bundleID: bundleID) }
                desk.written = launch
                desk.problem = nil
                if let report = try errorFree(&desk) { events.append(report) }
            } catch {
                desk.problem = "sessions cannot be kept: \(error)"
                // Record the events anyway, without the session's number within the day.
                events = changes.map { event(of: $0, numberInDay: nil) }
            }
        }
        for event in events { recorder.record(event) }
    }

    func lookAtEarlierLaunches() {
        desk.withLock { desk in
            // The code that opens the files does this look.
            guard let files = desk.files else { return }
            do throws(SystemError) {
                if try settle(files) { desk.reportedDay = nil }
            } catch {
                desk.problem = "sessions of earlier launches cannot be kept: \(error)"
            }
        }
    }

    /// Ends the launch and removes its file, so the next launch has nothing to settle.
    func finish() {
        desk.withLock { desk in
            guard let files = desk.files else { return }
            _ = try? files.removeLaunch(launchID, bundleID: bundleID)
        }
    }

    func statistics(days: Int) throws(SystemError) -> SessionStatistics {
        let database = try Directory(opening: databasePath)
        return try SessionStatistics(
            inDatabase: database, days: days, now: clock.now(), endings: endings, proc: proc)
    }

    /// The statistics of the last days, once a day; nil if not due or empty.
    private func errorFree(_ desk: inout Desk) throws(SystemError) -> EventPayload? {
        let today = SessionDay(clock.now())
        guard options.statisticsDays > 0, desk.reportedDay != today else { return nil }
        desk.reportedDay = today
        let days = min(options.statisticsDays, options.keptDays)
        let program = try statistics(days: days).programs.first { $0.bundleID == bundleID }
        guard let details = program?.errorFree,
            details.sessions > 0 || details.unknownSessions > 0
        else { return nil }
        return .errorFree(details)
    }

    private func keep(
        _ change: SessionState.Change, _ files: SessionFiles, _ desk: inout Desk
    ) throws(SystemError) -> EventPayload {
        switch change {
        case .started(let session):
            let day = SessionDay(session.startTime)
            let known: Int
            if let earlier = desk.numbersOfDays[day] {
                known = earlier
            } else {
                known = try count(files, day)
            }
            let number = known + 1
            desk.numbersOfDays = [day: number]
            return event(of: change, numberInDay: number)
        case .ended(let session):
            if try !files.append(SessionRecord(session, .completed), bundleID: bundleID) {
                desk.problem = "this day has more sessions than are recorded"
            }
            return event(of: change, numberInDay: nil)
        }
    }

    private func count(_ files: SessionFiles, _ day: SessionDay) throws(SystemError) -> Int {
        let records = try files.history(from: day).records[bundleID] ?? [:]
        return records.values.count { $0.isSession && $0.day == day }
    }

    private func event(of change: SessionState.Change, numberInDay: Int?) -> EventPayload {
        switch change {
        case .started(let session):
            .sessionStarted(
                SessionStartDetails(
                    sessionID: session.id, numberInRun: session.numberInRun,
                    numberInDay: numberInDay ?? session.numberInRun))
        case .ended(let session):
            .sessionEnded(
                SessionEndDetails(
                    sessionID: session.id, outcome: .completed,
                    durationSeconds: session.duration.inSeconds,
                    handledErrors: session.handledErrors))
        }
    }

    private func running(_ session: Session?) -> RunningLaunch {
        RunningLaunch(
            launchID: launchID, process: process, time: clock.now(),
            session: session.map { SessionRecord($0, .unknown) })
    }

    private func opened(_ desk: inout Desk) throws(SystemError) -> SessionFiles {
        if let files = desk.files { return files }
        let database = try Directory(opening: databasePath)
        let files = try SessionFiles(makingIn: database)
        desk.files = files
        _ = try settle(files)
        try files.prune(keptDays: options.keptDays, now: clock.now())
        return files
    }

    /// Records sessions of ended launches of this program. Those without a known end are left to
    /// later launches, for some days. Returns whether a session was recorded.
    private func settle(_ files: SessionFiles) throws(SystemError) -> Bool {
        var hasRecorded = false
        for (program, launch) in try files.launches() where program == bundleID {
            guard launch.launchID != launchID, proc.isRunning(launch.process) == false else {
                continue
            }
            let known = endings?.ending(of: launch.process, bundleID: bundleID)
            let age = clock.now().seconds(since: launch.time)
            guard known != nil || endings == nil || age > Self.patienceSeconds else { continue }
            if let record = launch.record(known ?? .unknown) {
                _ = try files.append(record, bundleID: bundleID)
                tell(of: record)
                hasRecorded = true
            }
            try files.removeLaunch(launch.launchID, bundleID: bundleID)
        }
        return hasRecorded
    }

    private func tell(of record: SessionRecord) {
        guard record.isSession else { return }
        recorder.record(
            .sessionEnded(
                SessionEndDetails(
                    sessionID: record.id, outcome: record.outcome,
                    durationSeconds: record.durationSeconds,
                    handledErrors: record.handledErrors)))
    }
}
