// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Directories, settings and prune clock that an earlier version created as root in another user's
/// database, where the owner cannot use them.
///
/// Only what provably belongs to the database is given back. A directory must belong to root and be
/// writable by root only, so that root put everything there; and it must contain only regular files
/// with the names of reports, each with a single link. Other files must prove by their contents
/// what they are. The rest stays root's and is reported when found: a user may have moved a file of
/// root's here to get hold of it.
extension Directory {
    private static var reportDirectories: [String] { ["new", "pending", "completed"] }
    /// Including the directories with one file for each report.
    private static var otherDirectories: [String] {
        Belonging.allCases.map(\.directoryName) + [ReportDatabase.quarantineName]
    }

    /// `own` is this directory, opened with the process's own rights. Returns the names given back.
    func giveBack(knownAs own: Directory) throws(SystemError) -> [String] {
        guard let identity, FileSystemIdentity.isRoot else { return [] }
        var given: [String] = []
        for name in Self.reportDirectories + Self.otherDirectories
        where try own.giveBackDirectory(name, to: identity) {
            given.append(name)
        }
        for (name, isOurs) in Self.files where try own.giveBackFile(name, to: identity, isOurs) {
            given.append(name)
        }
        if !given.isEmpty { try synchronize() }
        return given
    }

    private static var files: [(String, @Sendable ([UInt8]) -> Bool)] {
        [
            ("settings.dat", { SettingsRecord($0) != nil }),
            ("prune-clock", { PruneClock($0) != nil }),
        ]
    }

    private func giveBackDirectory(
        _ name: String, to identity: FileSystemIdentity
    ) throws(SystemError) -> Bool {
        guard try status(of: name)?.isRootsDirectory == true else { return false }
        let directory = try openDirectory(name)
        // Checked again, now that it cannot be replaced any more.
        guard try directory.fileStatus().isRootsDirectory else { return false }
        let listing = try directory.list()
        guard listing.undecodableCount == 0 else { return false }
        var files: [FileDescriptor] = []
        for entry in listing.names {
            guard let uuid = Epitaph.ID(fileStem: entry.prefix(36)),
                Self.isReportsName(entry, of: uuid),
                case .regular(let file, let status) = try directory.find(entry, for: .reading)
            else { return false }
            guard status.linkCount == 1, [0, identity.userID].contains(status.ownerID) else {
                return false
            }
            if status.ownerID == 0 { files.append(file) }
        }
        for file in files { try file.give(to: identity) }
        try directory.give(to: identity)
        return true
    }

    private static func isReportsName(_ name: String, of uuid: Epitaph.ID) -> Bool {
        let endings = ["", ".dmp", ".meta", ".lock", ".json", ".clock"]
        return endings.contains(String(name.dropFirst(36)))
            || name.hasPrefix(uuid.metadataName + ".corrupt-")
    }

    private func giveBackFile(
        _ name: String, to identity: FileSystemIdentity, _ isOurs: ([UInt8]) -> Bool
    ) throws(SystemError) -> Bool {
        guard case .regular(let file, let status) = try find(name, for: .reading),
            status.ownerID == 0, status.linkCount == 1, status.sizeBytes <= 4_096,
            isOurs(try file.readAll(limit: 4_096))
        else { return false }
        try file.give(to: identity)
        return true
    }
}

extension FileStatus {
    fileprivate var isRootsDirectory: Bool {
        kind == .directory && ownerID == 0 && permissions & 0o022 == 0
    }
}
