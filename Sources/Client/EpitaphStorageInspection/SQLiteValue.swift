// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A value of a row or placeholder: sqlite.org/datatype3.html.
    public enum SQLiteValue: Sendable, Equatable {
        case null
        case integer(Int64)
        case real(Double)
        /// The first `StorageOptions.valueLimitBytes`; `byteCount` is the full size.
        case text(String, byteCount: Int)
        /// The first `StorageOptions.valueLimitBytes` of a blob; `byteCount` is its full size.
        case blob([UInt8], byteCount: Int)

        public static func text(_ text: String) -> SQLiteValue {
            .text(text, byteCount: text.utf8.count)
        }

        public static func blob(_ bytes: [UInt8]) -> SQLiteValue {
            .blob(bytes, byteCount: bytes.count)
        }
    }

    public struct SQLiteRows: Sendable, Equatable {
        public var columns: [String] = []
        public var rows: [[SQLiteValue]] = []
        /// Whether rows were left out.
        public var isCut = false
    }

    public struct SQLiteTable: Sendable, Equatable {
        public var name: String
        public var kind: Kind
        /// The statement that created it.
        public var statement: String
        public var columns: [Column]

        public enum Kind: String, Sendable {
            case table, view
        }

        public struct Column: Sendable, Equatable {
            public var name: String
            /// As declared; empty if nothing was.
            public var type: String
            public var isRequired: Bool
            /// Place in the primary key, from 1; 0 for none.
            public var keyPosition: Int
        }
    }
}
