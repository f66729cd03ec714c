// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem

/// Breadcrumb files of launches that have ended: `launches/<bundle-id>@<uuid>.breadcrumbs`, moved
/// there as the programs left them.
extension ReportDatabase {
    /// So many breadcrumb files are kept of each program, those of its newest launches.
    public static let breadcrumbFileLimit = 10
    /// Larger ones are none of ours.
    static let breadcrumbFileSizeLimit = 16 << 20
    private static let breadcrumbEnding = ".breadcrumbs"

    private static func breadcrumbName(_ id: UUID, of bundleID: String) -> String {
        "\(bundleID)@\(id.fileStem)\(breadcrumbEnding)"
    }

    /// Moves a launch's breadcrumb file into the history. Only a regular file with one name is
    /// taken.
    ///
    /// - Parameters:
    ///   - name: the file's name now.
    ///   - directory: where it is now, on the database's file system.
    ///   - id: of the breadcrumb file, `RecordedLaunch.breadcrumbs`.
    ///   - bundleID: the program's.
    /// - Returns: whether it is there now.
    public func keepBreadcrumbFile(
        _ name: String, in directory: Directory, as id: UUID, of bundleID: String
    ) throws(DatabaseError) -> Bool {
        guard Self.isBundleID(bundleID) else { return false }
        return try attempt { () throws(SystemError) in
            guard let status = try directory.status(of: name), status.kind == .regular,
                status.linkCount == 1, status.sizeBytes <= Self.breadcrumbFileSizeLimit
            else { return false }
            let launches = try root.makeAndOpen(Self.launchesName)
            try directory.move(
                name, to: launches, as: Self.breadcrumbName(id, of: bundleID))
            try launches.synchronize()
            return true
        }
    }

    /// The breadcrumb file of a launch, as the program left it; nil where there is none any more.
    public func breadcrumbFile(
        of launch: RecordedLaunch, bundleID: String
    ) throws(DatabaseError) -> ByteSlice? {
        guard let id = launch.breadcrumbs else { return nil }
        return try breadcrumbFile(id, of: bundleID)
    }

    /// The same for the id that launch records name it by.
    public func breadcrumbFile(
        _ id: UUID, of bundleID: String
    ) throws(DatabaseError) -> ByteSlice? {
        guard Self.isBundleID(bundleID),
            let directory = try openDirectory(Self.launchesName, ifMissing: .fail)
        else { return nil }
        return try attempt { () throws(SystemError) in
            let name = Self.breadcrumbName(id, of: bundleID)
            guard case .regular(let file) = try directory.find(name, for: .reading),
                try file.fileStatus().sizeBytes <= Self.breadcrumbFileSizeLimit
            else { return nil }
            return ByteSlice(try file.readAll(limit: Self.breadcrumbFileSizeLimit))
        }
    }

    /// Those of launches that the history has no more, or that are not among the newest that have
    /// one. What cannot be removed now is removed another time.
    func removeBreadcrumbFiles(
        of bundleID: String, in directory: Directory, keeping history: [RecordedLaunch]
    ) {
        let kept = Set(
            history.compactMap(\.breadcrumbs).prefix(Self.breadcrumbFileLimit)
                .map { Self.breadcrumbName($0, of: bundleID) })
        guard let names = try? directory.list().names else { return }
        for name in names
        where name.hasPrefix(bundleID + "@") && name.hasSuffix(Self.breadcrumbEnding)
            && !kept.contains(name)
        {
            _ = try? directory.remove(name)
        }
    }
}
