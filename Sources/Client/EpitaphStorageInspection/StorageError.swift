// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Why stored data could not be looked at or changed.
    public enum StorageError: Error, Sendable, Equatable, CustomStringConvertible {
        /// A system call failed.
        case system(SystemError)
        /// libsqlite3.so.0 cannot be used, with the reason.
        case noLibrary(String)
        /// This process has the database open itself: see `StorageOptions.sharesLibrary`.
        case openHere(path: String)
        /// SQLite's reason, for the file and the statement.
        case sqlite(path: String, reason: String)
        /// Another connection keeps the database locked for longer than the allowed wait.
        case busy(path: String)
        /// The statement took longer than allowed.
        case tookTooLong(path: String)
        /// The statement would change something, or do something other than reading. Has its first
        /// words.
        case notARead(statement: String)
        /// Changes are not allowed: see `StorageOptions.allowsWriting`.
        case writingNotAllowed(place: String)
        /// The text has no statement, or more than one.
        case notOneStatement
        /// The number of values differs from the number of placeholders in the statement.
        case wrongValueCount(wanted: Int, given: Int)
        /// The database has no such table.
        case noTable(path: String, name: String)
        /// An invalid key, with the reason.
        case badKey(String, reason: String)
        /// A value that is too large, or of a kind the store does not support.
        case badValue(key: String, reason: String)

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .system(let error): error.description
            case .noLibrary(let reason): "databases cannot be inspected: \(reason)"
            case .openHere(let path):
                "\(path): this process has it open, and a second SQLite would break its locks"
            case .sqlite(let path, let reason): "\(path): \(reason)"
            case .busy(let path): "\(path): another connection keeps it locked"
            case .tookTooLong(let path): "\(path): the statement takes too long"
            case .notARead(let statement): "this does more than read: \(statement)"
            case .writingNotAllowed(let place): "\(place): changes are not allowed"
            case .notOneStatement: "give one statement of SQL"
            case .wrongValueCount(let wanted, let given):
                "the statement has \(wanted) placeholders, and \(given) values were given"
            case .noTable(let path, let name): "\(path): there is no table \"\(name)\""
            case .badKey(let key, let reason): "\"\(key)\" is no key: \(reason)"
            case .badValue(let key, let reason): "\"\(key)\" cannot have this value: \(reason)"
            }
        }
    }
}

extension Epitaph {
    /// A change made through this module, or reported by a store. It does not contain the stored
    /// value.
    public struct StorageChange: Sendable, Equatable {
        /// What happened to a key, or to a table's rows.
        public enum Kind: String, Sendable {
            /// It is new, has another value, or is gone.
            case added, changed, removed
        }

        /// The database's path, or the store's name.
        public var store: String
        /// The key; nil for a statement of SQL, which may change any rows.
        public var key: String?
        /// What happened.
        public var kind: Kind

        /// A change of these parts.
        public init(store: String, key: String?, kind: Kind) {
            self.store = store
            self.key = key
            self.kind = kind
        }
    }
}
