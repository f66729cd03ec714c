// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Why stored data could not be read or changed.
    public enum StorageError: Error, Sendable, Equatable, CustomStringConvertible {
        case system(SystemError)
        /// libsqlite3.so.0 cannot be used, with the reason.
        case noLibrary(String)
        /// This process has the database open: see `StorageOptions.sharesLibrary`.
        case openHere(path: String)
        /// SQLite's reason, for the file and the statement.
        case sqlite(path: String, reason: String)
        /// Another connection held the lock for too long.
        case busy(path: String)
        case tookTooLong(path: String)
        /// The statement does not only read. Has its first words.
        case notARead(statement: String)
        /// Changes are not allowed: see `StorageOptions.allowsWriting`.
        case writingNotAllowed(place: String)
        /// The text does not have exactly one statement.
        case notOneStatement
        case wrongValueCount(wanted: Int, given: Int)
        case noTable(path: String, name: String)
        case badKey(String, reason: String)
        /// A value that is too large or of an unsupported kind.
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
            case .badKey(let key, let reason): "\"\(key)\" is not a key: \(reason)"
            case .badValue(let key, let reason): "\"\(key)\" cannot have this value: \(reason)"
            }
        }
    }
}
