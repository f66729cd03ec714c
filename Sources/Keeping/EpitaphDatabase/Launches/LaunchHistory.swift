// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// How each program's launches ended: `launches/<bundle-id>.json`. Every sweep writes it, so that a
/// program learns about its last launch even if another process swept first.
extension ReportDatabase {
    /// Launches kept for each program; the oldest are removed first.
    package static let launchLimit = 100
    static let launchesName = "launches"
    private static let launchLockName = "lock"
    private static let launchFileSizeLimit = 1 << 20

    /// Newest first, at most `launchLimit`; none for an invalid bundle id.
    ///
    /// - Throws: `.laterVersion` if a newer version of Epitaph wrote the file.
    package func launchHistory(of bundleID: String) throws(DatabaseError) -> [RecordedLaunch] {
        guard Self.isBundleID(bundleID),
            let directory = try openDirectory(Self.launchesName, ifMissing: .fail)
        else { return [] }
        return try storedLaunches(of: bundleID, in: directory)
    }

    /// Adds launches to the history of a program, or completes their entries: a launch that
    /// recovered from a crash leaves several files. The entries are on disk on return. Nothing is
    /// recorded for an invalid bundle id.
    ///
    /// - Throws: `.launchesBusy` if another process keeps the history locked for 5 seconds.
    package func record(
        _ launches: [RecordedLaunch], of bundleID: String
    ) throws(DatabaseError) {
        guard !launches.isEmpty, Self.isBundleID(bundleID) else { return }
        try changeLaunches(of: bundleID) { history in
            for launch in launches {
                if let index = history.firstIndex(where: { $0.isSameLaunch(as: launch) }) {
                    history[index] = history[index].merged(with: launch)
                } else {
                    history.append(launch)
                }
            }
            for launch in launches {
                for index in history.indices where launch.followed(history[index]) {
                    history[index].end = .exec
                    history[index].evidence =
                        "the launch after it was of the same process, which had not ended"
                }
            }
        }
    }

    /// The launches not yet reported to the program, the newest first. Each is returned only once,
    /// no matter which process swept.
    ///
    /// - Parameter asker: the calling process; a crash that it recovered from is not its end.
    package func takeUntoldLaunches(
        of bundleID: String, asker: ProcessIdentity?
    ) throws(DatabaseError) -> [RecordedLaunch] {
        func isDue(_ launch: RecordedLaunch) -> Bool {
            !launch.isTold && !(launch.end.isCrash && launch.process == asker)
        }
        guard try launchHistory(of: bundleID).contains(where: isDue) else { return [] }
        var taken: [RecordedLaunch] = []
        try changeLaunches(of: bundleID) { history in
            for index in history.indices where isDue(history[index]) {
                taken.append(history[index])
                history[index].isTold = true
                // The program attaches its files now; nobody else will.
                history[index].lacksAttachments = false
            }
        }
        return taken.sorted { $0.lastSign > $1.lastSign }
    }

    static func isBundleID(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 200, !text.hasPrefix(".") else { return false }
        return (try? checkAttachmentName(text)) != nil
    }

    private func changeLaunches(
        of bundleID: String, _ edit: (inout [RecordedLaunch]) -> Void
    ) throws(DatabaseError) {
        let directory = try attempt { () throws(SystemError) in
            try root.makeAndOpen(Self.launchesName)
        }
        let lock = try launchLock(in: directory)
        defer { lock.unlock() }
        let stored = try storedLaunches(of: bundleID, in: directory)
        var history = stored
        edit(&history)
        history.sort { $0.lastSign > $1.lastSign }
        history = Array(history.prefix(Self.launchLimit))
        guard history != stored, let bytes = LaunchFile.bytes(history) else { return }
        try attempt { () throws(SystemError) in
            try keepLatest(of: history, of: bundleID, in: directory)
            try replace(bundleID + ".json", in: Self.launchesName, with: bytes)
        }
        removeBreadcrumbFiles(of: bundleID, in: directory, keeping: history)
    }

    private func storedLaunches(
        of bundleID: String, in directory: Directory
    ) throws(DatabaseError) -> [RecordedLaunch] {
        let name = bundleID + ".json"
        let bytes = try attempt { () throws(SystemError) -> [UInt8]? in
            switch try directory.find(name, for: .reading) {
            case .missing: nil
            case .somethingElse: []
            case .regular(let file): try file.readAll(limit: Self.launchFileSizeLimit)
            }
        }
        guard let bytes else { return [] }
        if let version = LaunchFile.laterVersion(bytes) {
            throw .laterVersion(path: directory.path(of: name), version: version)
        }
        if let launches = LaunchFile.launches(bytes) {
            return launches.sorted { $0.lastSign > $1.lastSign }
        }
        // In a read-only database the damaged file stays.
        let aside = "\(name).corrupt-\(clock.now().wholeSeconds)"
        _ = try? directory.move(name, aside: aside, in: directory)
        return []
    }

    /// Held from reading to writing, because two sweeps may end at the same moment.
    private func launchLock(in directory: Directory) throws(DatabaseError) -> FileDescriptor {
        let file = try attempt { () throws(SystemError) in
            try directory.openForWriting(Self.launchLockName, creating: true)
        }
        let isLocked: Bool
        do throws(SystemError) {
            isLocked = try file.lock(.exclusive, within: settingsDeadline)
        } catch {
            // On a file system without locks one of two simultaneous changes may be lost.
            guard error.isUnsupported else { throw .system(error) }
            isLocked = true
        }
        guard isLocked else { throw .launchesBusy(path: file.path) }
        return file
    }
}
