// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import ReportDatabase

/// `sessions` in a database: a file for each launch that runs, and one for each day and program.
///
/// A session is counted once whoever records it, and however often: its id says which it is.
struct SessionFiles: Sendable {
    let directory: Directory

    private static let runningEnding = ".running"
    private static let dayEnding = ".sessions"
    /// A day of 20,000 sessions; more are not recorded, and statistics say that they lack some.
    static let dayLimitBytes = 4 << 20
    private static let runningLimitBytes = 1 << 16
    private static let lockSeconds = 2.0

    private static let directoryName = "sessions"

    /// Opens the directory `sessions` of a database with the rights of the database's owner, and
    /// makes it where it is missing.
    init(makingIn database: Directory) throws(SystemError) {
        directory = try database.withOwnersRights().makeAndOpen(Self.directoryName)
    }

    /// As above; nil where it is missing.
    init?(in database: Directory) throws(SystemError) {
        do throws(SystemError) {
            directory = try database.withOwnersRights().openDirectory(Self.directoryName)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }

    // MARK: Launches that run

    /// Puts what a launch says of itself in the place of what it said before.
    func write(_ launch: RunningLaunch, bundleID: String) throws(SystemError) {
        guard let bytes = JSONFile.bytes(launch) else { return }
        let unfinished = ".new-" + launch.launchID.uuidString.lowercased()
        do throws(SystemError) {
            let file = try directory.openForWriting(unfinished, creating: true)
            try file.truncate(toBytes: 0)
            try file.writeAll(bytes, at: 0)
            // Not synced: a power failure loses the last seconds of what this tells, or the file.
            try directory.rename(
                unfinished, to: directory, as: Self.name(of: launch.launchID, bundleID))
        } catch {
            _ = try? directory.remove(unfinished)
            throw error
        }
    }

    func removeLaunch(_ launchID: UUID, bundleID: String) throws(SystemError) {
        _ = try directory.remove(Self.name(of: launchID, bundleID))
    }

    private static func name(of launchID: UUID, _ bundleID: String) -> String {
        "\(bundleID)@\(launchID.uuidString.lowercased())\(runningEnding)"
    }

    /// What launches say of themselves, by program. Files that say nothing are passed over.
    func launches() throws(SystemError) -> [(bundleID: String, launch: RunningLaunch)] {
        var found: [(String, RunningLaunch)] = []
        for name in try directory.list().names where name.hasSuffix(Self.runningEnding) {
            let parts = name.dropLast(Self.runningEnding.count).split(separator: "@")
            guard parts.count == 2, let bytes = try contents(name, limit: Self.runningLimitBytes),
                let launch = JSONFile.value(RunningLaunch.self, bytes),
                UUID(uuidString: String(parts[1])) == launch.launchID
            else { continue }
            found.append((String(parts[0]), launch))
        }
        return found
    }

    // MARK: Sessions that are over

    /// Appends a record to its day. When this returns it is on the disk.
    ///
    /// - Returns: false where the day has as many as it may.
    /// - Throws: also where something else than a file is in its place: it cannot be written to at
    ///   a position.
    func append(_ record: SessionRecord, bundleID: String) throws(SystemError) -> Bool {
        guard let line = record.line else { return true }
        let name = Self.name(of: record.day, bundleID)
        let file = try directory.openForWriting(name, creating: true)
        // Where the file system has no locks two processes may write over each other.
        let isLocked = (try? file.lock(.exclusive, within: .seconds(Self.lockSeconds))) ?? false
        defer { if isLocked { file.unlock() } }
        let size = try file.fileStatus().sizeBytes
        guard size + line.count <= Self.dayLimitBytes else { return false }
        // A line that a power failure cut must not take the next one along.
        let last = size > 0 ? try file.readBytes(count: 1, at: size - 1) : [0x0a]
        try file.writeAll((last == [0x0a] ? [] : [0x0a]) + line, at: size)
        try file.synchronize()
        if size == 0 { try directory.synchronize() }
        return true
    }

    /// What is kept of the days from `first` on, by program, and what of it could not be read.
    func history(from first: SessionDay) throws(SystemError) -> SessionHistory {
        var history = SessionHistory()
        for name in try directory.list().names.sorted() {
            guard let (bundleID, day) = Self.bundleIDAndDay(name), day >= first,
                let bytes = try contents(name, limit: Self.dayLimitBytes)
            else { continue }
            // The longest line has some two hundred bytes.
            if bytes.count > Self.dayLimitBytes - 512 { history.isCut = true }
            for line in bytes.split(separator: 0x0a) {
                if let record = JSONFile.value(SessionRecord.self, line) {
                    history.add(record, bundleID: bundleID)
                } else {
                    history.damagedLines += 1
                }
            }
        }
        return history
    }

    /// Removes what is older than `keptDays`.
    func prune(keptDays: Int, now: Date) throws(SystemError) {
        let days = try directory.list().names.compactMap { name in
            Self.bundleIDAndDay(name).map { (name, $0.1) }
        }
        let witness = days.map(\.1).max().map {
            Date(timeIntervalSince1970: Double($0.number) * 86_400)
        }
        guard directory.isClockTrusted(at: now, witness: witness) else { return }
        let first = SessionDay(now).number - keptDays
        for (name, day) in days where day.number < first { _ = try directory.remove(name) }
    }

    private static func name(of day: SessionDay, _ bundleID: String) -> String {
        "\(bundleID)@\(day.number)\(dayEnding)"
    }

    private static func bundleIDAndDay(_ name: String) -> (String, SessionDay)? {
        guard name.hasSuffix(dayEnding) else { return nil }
        let parts = name.dropLast(dayEnding.count).split(separator: "@")
        guard parts.count == 2, let number = Int(parts[1]), number >= 0 else { return nil }
        let (bundleID, day) = (String(parts[0]), SessionDay(number: number))
        return Self.name(of: day, bundleID) == name ? (bundleID, day) : nil
    }

    /// Nil for what is gone or no regular file.
    private func contents(_ name: String, limit: Int) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try directory.openForReading(name)
            guard try file.fileStatus().kind == .regular else { return nil }
            return try file.readAll(limit: limit)
        } catch {
            guard error.isNotFound || error.isSymbolicLink else { throw error }
            return nil
        }
    }
}

/// Sessions that are over, by program, each once.
struct SessionHistory: Sendable, Equatable {
    private(set) var records: [String: [UUID: SessionRecord]] = [:]
    /// Lines that hold no session.
    var damagedLines = 0
    /// Whether a day had more sessions than are recorded.
    var isCut = false

    /// Of two records of one session the one that knows how it ended counts.
    mutating func add(_ record: SessionRecord, bundleID: String) {
        let known = records[bundleID]?[record.id]
        guard known == nil || known?.outcome == .unknown else { return }
        records[bundleID, default: [:]][record.id] = record
    }
}
