// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Besides minidump and metadata: removed with the report, and stale without it.
enum Belonging: CaseIterable {
    /// `attachments/<uuid>/`
    case attachments
    /// `delivery/<uuid>.json`
    case deliveryState
    /// `signatures/<uuid>`, the cache of `dump-convert list --group`.
    case signature

    var directoryName: String {
        switch self {
        case .attachments: "attachments"
        case .deliveryState: "delivery"
        case .signature: "signatures"
        }
    }

    func name(of uuid: Epitaph.ID) -> String {
        switch self {
        case .attachments, .signature: uuid.fileStem
        case .deliveryState: uuid.fileStem + ".json"
        }
    }

    /// The report of a name there, also of a file moved aside; nil for other names.
    func owner(of name: String) -> Epitaph.ID? {
        guard let uuid = Epitaph.ID(fileStem: name.prefix(36)) else { return nil }
        let own = self.name(of: uuid)
        guard name == own || name.hasPrefix(own + ".corrupt-") else { return nil }
        return uuid
    }
}

extension ReportDatabase {
    /// Removes what belongs to a report that is gone, without creating directories.
    func removeBelongings(of uuid: Epitaph.ID) throws(DatabaseError) {
        for belonging in Belonging.allCases { try remove(belonging, of: uuid) }
    }

    func remove(_ belonging: Belonging, of uuid: Epitaph.ID) throws(DatabaseError) {
        if belonging == .attachments {
            return try attempt(removeAttachments(of: uuid))
        }
        guard let directory = try openDirectory(belonging.directoryName, ifMissing: .fail) else {
            return
        }
        try attempt { () throws(SystemError) in
            // We put only files there.
            guard try directory.status(of: belonging.name(of: uuid))?.kind == .regular else {
                return
            }
            try directory.remove(belonging.name(of: uuid))
        }
    }
}
