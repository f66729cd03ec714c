// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// A launch that has ended but was not swept yet.
package struct UnsweptLaunch: Sendable, Equatable {
    package let id: Epitaph.ID
    /// When Epitaph was started in it; nil if unknown.
    package let start: Timestamp?
    /// For a crash, its time.
    package let lastWritten: Timestamp
    package let isCrash: Bool
}

extension DumpSweep {
    /// How many files of a program are examined. There are only more if nobody sweeps.
    private static let unsweptLimit = 200

    /// Examines what ended launches of a program left before any sweep, for a launch that needs to
    /// know at once. Changes nothing and decodes no crash.
    ///
    /// - Parameter ownFile: this process's armed file, which must not be opened: closing any
    ///   descriptor of it would drop its record lock. Empty for none.
    /// - Returns: the newest first; empty if the directory cannot be read.
    package static func unsweptLaunches(
        of bundleID: String, in path: String, crashDirectory: String? = nil, except ownFile: String
    ) -> [UnsweptLaunch] {
        let proc = ProcFileSystem()
        let judge = OwnerJudge(proc: proc, now: SystemWallClock().now(), ownBundleID: bundleID)
        let own = proc.ownOpenFiles() ?? []
        var directories: [Directory] = []
        if let pending = try? Directory(opening: path).openDirectory(pendingDirectoryName) {
            directories.append(pending)
        }
        if let path = crashDirectory, let other = try? Directory(named: path) {
            directories.append(other)
        }
        return directories.flatMap { directory in
            let names = (try? directory.list(limit: listingLimit))?.names ?? []
            return names.filter { $0.hasPrefix(bundleID + "@") && $0 != ownFile }
                .prefix(unsweptLimit)
                .compactMap { launch($0, of: bundleID, in: directory, own, judge) }
        }
        .sorted { $0.lastWritten > $1.lastWritten }
    }

    private static func launch(
        _ fileName: String, of bundleID: String, in directory: Directory, _ own: Set<FileIdentity>,
        _ judge: OwnerJudge
    ) -> UnsweptLaunch? {
        guard let name = DumpName(fileName), name.bundleID == bundleID, !name.isHandedOut,
            let found = try? directory.status(of: fileName), found.kind == .regular,
            !own.contains(found.identity), found.sizeBytes <= mostDumpBytes,
            let file = try? directory.openForReading(fileName),
            (try? file.fileStatus().identity) == found.identity
        else { return nil }
        if name.stage == .locked, judge.holder(of: file) != nil { return nil }
        guard let bytes = try? FileBytes.contents(of: file) else { return nil }
        let contents = MinidumpConverter().contents(of: bytes)
        // A live dump is not the end of a launch.
        if case .liveDump = contents { return nil }
        let isCrash = if case .crash = contents { true } else { false }
        if name.stage == .locked {
            let candidate = Candidate(fileName: fileName, name: name, status: found)
            switch judge.liveness(of: candidate, file, launch: contents.launch) {
            case .dead: break
            // The process runs, or became this one: not an end.
            case .alive, .replaced: return nil
            }
        }
        return UnsweptLaunch(
            id: name.uuid, start: contents.launch?.time, lastWritten: found.modificationTime,
            isCrash: isCrash)
    }
}
