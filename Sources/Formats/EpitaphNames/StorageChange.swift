// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A change of what a program stores (`EpitaphStorageInspection`), without the value.
    public struct StorageChange: Sendable, Equatable {
        /// What happened to a key or to a table's rows.
        public enum Kind: String, Sendable {
            case added, changed, removed
        }

        /// The database's path, or the store's name.
        public var store: String
        /// The key; nil for SQL, which may change any rows.
        public var key: String?
        public var kind: Kind

        public init(store: String, key: String?, kind: Kind) {
            self.store = store
            self.key = key
            self.kind = kind
        }
    }
}
