// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    public enum StoredValue: Sendable, Equatable {
        case text(String)
        case integer(Int64)
        case real(Double)
        case boolean(Bool)
        case data([UInt8])
        /// A list of values, as in a property list.
        case list([StoredValue])

        /// The kind's name, for people.
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

        /// Approximate size in bytes.
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

    /// Keys and values of a program: UserDefaults, files of a directory, a configuration section.
    public protocol KeyValueStore: Sendable {
        /// Its name in reports and events.
        var name: String { get }

        /// Whether `set` may be called.
        var isWritable: Bool { get }

        func keys() throws(StorageError) -> [String]

        func value(of key: String) throws(StorageError) -> StoredValue?

        /// Sets a value; nil removes it.
        ///
        /// - Throws: `StorageError.writingNotAllowed` if `isWritable` is false.
        func set(_ value: StoredValue?, of key: String) throws(StorageError)
    }

    /// Reads and writes stores, and reports changes.
    public struct KeyValueInspector: Sendable {
        private let store: any KeyValueStore
        private let changed: (@Sendable (StorageChange) -> Void)?

        /// - Parameter changed: called after changes through this inspector, on their thread.
        public init(
            _ store: any KeyValueStore, changed: (@Sendable (StorageChange) -> Void)? = nil
        ) {
            self.store = store
            self.changed = changed
        }

        public func keys() throws(StorageError) -> [String] { try store.keys().sorted() }

        public func value(of key: String) throws(StorageError) -> StoredValue? {
            try store.value(of: key)
        }

        public func set(_ value: StoredValue?, of key: String) throws(StorageError) {
            guard store.isWritable else { throw .writingNotAllowed(place: store.name) }
            let before = try store.value(of: key)
            try store.set(value, of: key)
            guard before != value else { return }
            let kind: StorageChange.Kind =
                if value == nil { .removed } else if before == nil { .added } else { .changed }
            changed?(StorageChange(store: store.name, key: key, kind: kind))
        }

        /// Removes every key. Keys that cannot be removed stay, and the first failure is thrown.
        public func clear() throws(StorageError) {
            var failure: StorageError?
            for key in try keys() {
                do throws(StorageError) {
                    try set(nil, of: key)
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }
}
