// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// The directory `sessions` of a database: a file for each running launch, and one for each day and
/// program. Records with the same id are one session, however often they were written.
struct SessionFiles: Sendable {
    let directory: Directory

    private static let runningEnding = ".running"
    private static let dayEnding = ".sessions"
    /// About 20,000 sessions a day. Further ones are not recorded, and the statistics say so.
    static let dayLimitBytes = 4 << 20
    private static let runningLimitBytes = 1 << 16
    private static let lockSeconds = 2.0

    private static let directoryName = "sessions"

    /// Opens or creates `sessions` in a database, with the rights of the database's owner.
    init(makingIn database: Directory) throws(SystemError) {
        directory = try database.withOwnersRights().makeAndOpen(Self.directoryName)
    }

    /// As above, but returns nil if the directory is missing.
    init?(in database: Directory) throws(SystemError) {
        let found = try unless(
            \.isNotFound, database.withOwnersRights().openDirectory(Self.directoryName))
        guard let found else { return nil }
        directory = found
    }

    // MARK: Launches that run

    func write(_ launch: RunningLaunch, bundleID: String) throws(SystemError) {
        guard let bytes = JSONFile.bytes(launch) else { return }
        let unfinished = ".new-" + launch.launchID.description
        // A leftover of a write whose file could not be removed.
        _ = try? directory.remove(unfinished)
        // Not synced: a power failure may lose this record or its last seconds.
        try directory.replace(
            Self.name(of: launch.launchID, bundleID), with: bytes, writing: unfinished,
            isSynced: false)
    }

    func removeLaunch(_ launchID: Epitaph.ID, bundleID: String) throws(SystemError) {
        _ = try directory.remove(Self.name(of: launchID, bundleID))
    }

    private static func name(of launchID: Epitaph.ID, _ bundleID: String) -> String {
        "\(bundleID)@\(launchID.description)\(runningEnding)"
    }

    /// The recorded launches with their programs. Skips files that cannot be decoded.
    func launches() throws(SystemError) -> [(bundleID: String, launch: RunningLaunch)] {
        var found: [(String, RunningLaunch)] = []
        for name in try directory.list().names where name.hasSuffix(Self.runningEnding) {
            let parts = name.dropLast(Self.runningEnding.count).split(separator: "@")
            guard parts.count == 2, let bytes = try contents(name, limit: Self.runningLimitBytes),
                let launch = JSONFile.value(RunningLaunch.self, bytes),
                Epitaph.ID(String(parts[1])) == launch.launchID
            else { continue }
            found.append((String(parts[0]), launch))
        }
        return found
    }

    // MARK: Sessions that are over

    /// Appends a record to the file of its day and syncs it. Returns false if the file is full;
    /// throws also if something other than a regular file has that name.
    func append(_ record: SessionRecord, bundleID: String) throws(SystemError) -> Bool {
        guard let line = record.line else { return true }
        let name = Self.name(of: record.day, bundleID)
        let file = try directory.openForWriting(name, creating: true)
        // Without file locks, two processes may overwrite each other's records.
        let isLocked = (try? file.lock(.exclusive, within: .seconds(Self.lockSeconds))) ?? false
        defer { if isLocked { file.unlock() } }
        let size = try file.fileStatus().sizeBytes
        guard size + line.count <= Self.dayLimitBytes else { return false }
        // A power failure may have cut the last line. Start a new one, to lose only that.
        let last = size > 0 ? try file.readBytes(count: 1, at: size - 1) : [0x0a]
        try file.writeAll((last == [0x0a] ? [] : [0x0a]) + line, at: size)
        try file.synchronize()
        if size == 0 { try directory.synchronize() }
        return true
    }

    /// The records from `first` on, by program, and whether some could not be read.
    func history(from first: SessionDay) throws(SystemError) -> SessionHistory {
        var history = SessionHistory()
        for name in try directory.list().names.sorted() {
            guard let (bundleID, day) = Self.bundleIDAndDay(name), day >= first,
                let bytes = try contents(name, limit: Self.dayLimitBytes)
            else { continue }
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

    func prune(keptDays: Int, now: Timestamp) throws(SystemError) {
        let days = try directory.list().names.compactMap { name in
            Self.bundleIDAndDay(name).map { (name, $0.1) }
        }
        let witness = days.map(\.1).max().map {
            Timestamp(secondsSince1970: Double($0.number) * 86_400)
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

    private func contents(_ name: String, limit: Int) throws(SystemError) -> [UInt8]? {
        let file = try unless(
            { $0.isNotFound || $0.isSymbolicLink }, directory.openForReading(name))
        guard let file, try file.fileStatus().kind == .regular else { return nil }
        return try file.readAll(limit: limit)
    }
}

struct SessionHistory: Sendable, Equatable {
    private(set) var records: [String: [Epitaph.ID: SessionRecord]] = [:]
    var damagedLines = 0
    /// Whether a day had more sessions than were recorded.
    var isCut = false

    /// Of two records of one session, keeps the one that knows how it ended.
    mutating func add(_ record: SessionRecord, bundleID: String) {
        let known = records[bundleID]?[record.id]
        guard known == nil || known?.outcome == .unknown else { return }
        records[bundleID, default: [:]][record.id] = record
    }
}
