// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The files a program wants attached to its crash reports, for sweeps of other processes:
/// `launches/<bundle-id>@attachments.json`.
package struct WantedAttachments: Sendable, Equatable {
    /// Without relative paths: another process has another working directory.
    package var files: [AttachedFile]
    /// The largest size of each, as the program wants it; who attaches them has a limit, too.
    package var limitBytes: Int

    package init(files: [AttachedFile], limitBytes: Int = AttachmentLimit.defaultBytes) {
        self.files = files
        self.limitBytes = limitBytes
    }
}

extension ReportDatabase {
    private static let attachmentsEnding = "@attachments.json"
    private static let wantedFileLimit = 256
    private static let wantedSizeLimit = 1 << 20

    /// Nil if none were ever recorded.
    package func wantedAttachments(
        of bundleID: String
    ) throws(DatabaseError) -> WantedAttachments? {
        guard Self.isBundleID(bundleID),
            let directory = try openDirectory(Self.launchesName, ifMissing: .fail)
        else { return nil }
        let bytes = try attempt { () throws(SystemError) -> [UInt8]? in
            guard
                case .regular(let file, _) = try directory.find(
                    bundleID + Self.attachmentsEnding, for: .reading)
            else { return nil }
            return try file.readAll(limit: Self.wantedSizeLimit)
        }
        return bytes.flatMap { WantedAttachments(json: $0) }
    }

    package func setWantedAttachments(
        _ wanted: WantedAttachments, of bundleID: String
    ) throws(DatabaseError) {
        guard Self.isBundleID(bundleID) else { return }
        var absolute = wanted
        absolute.files = Array(
            wanted.files.filter { $0.path.hasPrefix("/") }.prefix(Self.wantedFileLimit))
        guard try wantedAttachments(of: bundleID) != absolute else { return }
        guard let bytes = absolute.json else { return }
        try attempt(
            try replace(bundleID + Self.attachmentsEnding, in: Self.launchesName, with: bytes))
    }
}

extension WantedAttachments {
    fileprivate var json: [UInt8]? {
        JSONValue.bytes([
            "version": .integer(1), "limit_bytes": .integer(Int64(limitBytes)),
            "files": .list(
                files.map { .object(["path": .text($0.path), "name": .text($0.name)]) }),
        ])
    }

    init?(json: [UInt8]) {
        guard let fields = JSONValue.object(json), fields["version"] == .integer(1),
            case .list(let list)? = fields["files"], let limit = fields["limit_bytes"]?.whole
        else { return nil }
        files = list.compactMap { file in
            guard let path = file["path"]?.string, let name = file["name"]?.string else {
                return nil
            }
            return AttachedFile(path, name: name)
        }
        limitBytes = Int(clamping: limit)
    }
}
