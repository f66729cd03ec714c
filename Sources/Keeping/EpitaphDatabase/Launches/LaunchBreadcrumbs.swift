// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Breadcrumb files of ended launches: `launches/<bundle-id>@<uuid>.breadcrumbs`, moved unchanged.
extension ReportDatabase {
    /// Breadcrumb files kept for each program: those of its newest launches.
    package static let breadcrumbFileLimit = 10
    /// Epitaph writes no larger ones.
    static let breadcrumbFileSizeLimit = 16 << 20
    private static let breadcrumbEnding = ".breadcrumbs"

    private static func breadcrumbName(_ id: Epitaph.ID, of bundleID: String) -> String {
        "\(bundleID)@\(id.fileStem)\(breadcrumbEnding)"
    }

    /// Moves a launch's breadcrumb file, a regular file with a single link, into the history.
    /// Returns whether it is there now.
    ///
    /// - Parameter directory: on the file system of the database.
    package func keepBreadcrumbFile(
        _ name: String, in directory: Directory, as id: Epitaph.ID, of bundleID: String
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

    package func breadcrumbFile(
        of launch: RecordedLaunch, bundleID: String
    ) throws(DatabaseError) -> ByteSlice? {
        guard let id = launch.breadcrumbs else { return nil }
        return try breadcrumbFile(id, of: bundleID)
    }

    package func breadcrumbFile(
        _ id: Epitaph.ID, of bundleID: String
    ) throws(DatabaseError) -> ByteSlice? {
        guard Self.isBundleID(bundleID),
            let directory = try openDirectory(Self.launchesName, ifMissing: .fail)
        else { return nil }
        return try attempt { () throws(SystemError) in
            let name = Self.breadcrumbName(id, of: bundleID)
            guard case .regular(let file, let status) = try directory.find(name, for: .reading),
                status.sizeBytes <= Self.breadcrumbFileSizeLimit
            else { return nil }
            return ByteSlice(try file.readAll(limit: Self.breadcrumbFileSizeLimit))
        }
    }

    /// Removes the files of launches that are no longer in the history, or that have too many newer
    /// ones. A later call retries failures.
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
