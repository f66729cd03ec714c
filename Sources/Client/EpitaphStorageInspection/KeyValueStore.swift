// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The value of a setting.
    public enum StoredValue: Sendable, Equatable {
        /// A text.
        case text(String)
        /// A whole number.
        case integer(Int64)
        /// A floating-point number.
        case real(Double)
        /// True or false.
        case boolean(Bool)
        /// Bytes.
        case data([UInt8])
        /// A list of values, as in a property list.
        case list([StoredValue])

        /// The name of the kind, for people.
        public var kindName: String {
            switch self {
            case .text: "text"
            case .integer: "integer"
            case .real: "real"
            case .boolean: "boolean"
            case .data: "data"
            case .list: "list"
            }
        }

        /// Roughly how many bytes it has.
        public var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .integer, .real: 8
            case .boolean: 1
            case .data(let bytes): bytes.count
            case .list(let values): values.reduce(0) { $0 + $1.byteCount }
            }
        }
    }
}

extension Epitaph {
    /// Keys and values that a program keeps: its UserDefaults, a directory of files, a section of
    /// its configuration. A driver implements reading, and writing if that is allowed.
    public protocol KeyValueStore: Sendable {
        /// What it is called in reports and events.
        var name: String { get }

        /// Whether `set` may be called.
        var isWritable: Bool { get }

        /// All keys, in no particular order.
        func keys() throws(StorageError) -> [String]

        /// The value of a key; nil if there is none.
        func value(of key: String) throws(StorageError) -> StoredValue?

        /// Sets the value of a key; nil removes it.
        ///
        /// - Throws: `StorageError.writingNotAllowed` if `isWritable` is false.
        func set(_ value: StoredValue?, of key: String) throws(StorageError)
    }
}

extension Epitaph {
    /// Reads and writes stores, and tells listeners what changed.
    public struct KeyValueInspector: Sendable {
        private let store: any KeyValueStore
        private let changed: (@Sendable (StorageChange) -> Void)?

        /// - Parameters:
        ///   - store: whose keys and values these are.
        ///   - changed: called after a change through this inspector, on its thread.
        public init(
            _ store: any KeyValueStore, changed: (@Sendable (StorageChange) -> Void)? = nil
        ) {
            self.store = store
            self.changed = changed
        }

        /// All keys, sorted.
        public func keys() throws(StorageError) -> [String] { try store.keys().sorted() }

        /// The value of a key; nil if there is none.
        public func value(of key: String) throws(StorageError) -> StoredValue? {
            try store.value(of: key)
        }

        /// Sets the value of a key; nil removes it.
        public func set(_ value: StoredValue?, of key: String) throws(StorageError) {
            guard store.isWritable else { throw .writingNotAllowed(place: store.name) }
            let before = try store.value(of: key)
            try store.set(value, of: key)
            guard before != value else { return }
            let kind: StorageChange.Kind =
                if value == nil { .removed } else if before == nil { .added } else { .changed }
            changed?(StorageChange(store: store.name, key: key, kind: kind))
        }
    }
}
