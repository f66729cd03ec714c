// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Everything that a report has besides its minidump and metadata, listed only here: it is removed
/// when the report is deleted or pruned, and is stale if the report does not exist any more.
enum Belonging: CaseIterable {
    /// `attachments/<uuid>/`, files that are sent with it.
    case attachments
    /// `delivery/<uuid>.json`: its delivery state beyond the metadata.
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

    /// The name of a report's file or directory there.
    func name(of uuid: Epitaph.ID) -> String {
        switch self {
        case .attachments, .signature: uuid.fileStem
        case .deliveryState: uuid.fileStem + ".json"
        }
    }

    /// Which report a name in that directory belongs to, including names of broken files moved
    /// aside; nil for a name of another form.
    func owner(of name: String) -> Epitaph.ID? {
        guard let uuid = Epitaph.ID(fileStem: name.prefix(36)) else { return nil }
        let own = self.name(of: uuid)
        guard name == own || name.hasPrefix(own + ".corrupt-") else { return nil }
        return uuid
    }
}

extension ReportDatabase {
    /// Removes what belongs to a report that is gone. Does not create the directories for that.
    func removeBelongings(of uuid: Epitaph.ID) throws(DatabaseError) {
        for belonging in Belonging.allCases { try remove(belonging, of: uuid) }
    }

    func remove(_ belonging: Belonging, of uuid: Epitaph.ID) throws(DatabaseError) {
        if belonging == .attachments {
            return try attempt { () throws(SystemError) in try removeAttachments(of: uuid) }
        }
        guard let directory = try openDirectory(belonging.directoryName, ifMissing: .fail) else {
            return
        }
        try attempt { () throws(SystemError) in
            // Anything that is not a file was not put there by us.
            guard try directory.status(of: belonging.name(of: uuid))?.kind == .regular else {
                return
            }
            try directory.remove(belonging.name(of: uuid))
        }
    }
}
