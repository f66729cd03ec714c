// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// Everything a report has besides its minidump and metadata. This is the one place that knows all
/// of it: what is listed here goes when the report is deleted or pruned, and is stale when there is
/// no such report any more.
enum Belonging: CaseIterable {
    /// `attachments/<uuid>/`, files that are sent with it.
    case attachments
    /// `delivery/<uuid>.json`, what is remembered of its delivery beyond the metadata.
    case deliveryState
    /// `signatures/<uuid>`, its signature, which `dump-convert list --group` keeps.
    case signature

    var directoryName: String {
        switch self {
        case .attachments: "attachments"
        case .deliveryState: "delivery"
        case .signature: "signatures"
        }
    }

    /// The name of a report's own in that directory.
    func name(of uuid: UUID) -> String {
        switch self {
        case .attachments, .signature: uuid.fileStem
        case .deliveryState: uuid.fileStem + ".json"
        }
    }

    /// Whose a name in that directory is, what is broken and was put aside among it; nil for one
    /// that no report of this layout has.
    func owner(of name: String) -> UUID? {
        guard let uuid = UUID(fileStem: name.prefix(36)) else { return nil }
        let own = self.name(of: uuid)
        guard name == own || name.hasPrefix(own + ".corrupt-") else { return nil }
        return uuid
    }
}

extension ReportDatabase {
    /// Removes what belongs to a report that is gone. Its directories are not made for that.
    func removeBelongings(of uuid: UUID) throws(DatabaseError) {
        for belonging in Belonging.allCases { try remove(belonging, of: uuid) }
    }

    func remove(_ belonging: Belonging, of uuid: UUID) throws(DatabaseError) {
        if belonging == .attachments {
            return try attempt { () throws(SystemError) in try removeAttachments(of: uuid) }
        }
        guard let directory = try openDirectory(belonging.directoryName, ifMissing: .fail) else {
            return
        }
        try attempt { () throws(SystemError) in
            // What is no file was not put there by us.
            guard try directory.status(of: belonging.name(of: uuid))?.kind == .regular else {
                return
            }
            try directory.remove(belonging.name(of: uuid))
        }
    }
}
