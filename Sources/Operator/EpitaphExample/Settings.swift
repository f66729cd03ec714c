// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphStorageInspection
import Foundation

/// The daemon's settings: a directory with a file for each. Changes are events.
struct Settings: Sendable {
    private let store: DirectoryStore
    private let inspector: KeyValueInspector

    init(_ path: String) {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        store = DirectoryStore(path, name: "settings", isWritable: true)
        inspector = KeyValueInspector(store) { change in
            Epitaph.events?.record(.storageChanged(StorageChangeDetails(change)))
        }
    }

    /// - Returns: why not; nil on success.
    func set(_ name: String, to value: String) -> String? {
        do {
            try inspector.set(.text(value), of: name)
            Epitaph.systemEvents?.noteConfigurationReload("\(name) was set")
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Names, kinds and sizes.
    var summary: String { StorageSummary().text(of: store) }
}

extension StorageChangeDetails {
    fileprivate init(_ change: StorageChange) {
        let kind: Change =
            switch change.kind {
            case .added: .added
            case .changed: .changed
            case .removed: .removed
            }
        self.init(kind: .keyValue, store: change.store, item: change.key, change: kind)
    }
}
