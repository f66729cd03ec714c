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
        let directory = try attempt(root.makeAndOpen(Self.launchesName))
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
        let launches = try read(name, in: directory) {
            (bytes) throws(DatabaseError) -> [RecordedLaunch]? in
            if let version = LaunchFile.laterVersion(bytes) {
                throw .laterVersion(path: directory.path(of: name), version: version)
            }
            return LaunchFile.launches(bytes)
        }
        return launches?.sorted { $0.lastSign > $1.lastSign } ?? []
    }

    /// Held from reading to writing, because two sweeps may end at the same moment.
    private func launchLock(in directory: Directory) throws(DatabaseError) -> FileDescriptor {
        let file = try attempt(directory.openForWriting(Self.launchLockName, creating: true))
        // On a file system without locks one of two simultaneous changes may be lost.
        let isLocked = try attempt(
            unless(\.isUnsupported, file.lock(.exclusive, within: settingsDeadline)))
        guard isLocked ?? true else { throw .launchesBusy(path: file.path) }
        return file
    }
}
