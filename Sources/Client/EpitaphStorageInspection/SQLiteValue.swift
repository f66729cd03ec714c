// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A value of a row, or of a statement's placeholder: sqlite.org/datatype3.html.
    public enum SQLiteValue: Sendable, Equatable {
        /// NULL.
        case null
        /// A whole number.
        case integer(Int64)
        /// A floating-point number.
        case real(Double)
        /// At most `StorageOptions.valueLimitBytes` of a text; `byteCount` is its size in the
        /// database. Invalid UTF-8 in it is replaced.
        case text(String, byteCount: Int)
        /// At most `StorageOptions.valueLimitBytes` of a blob; `byteCount` is its size in the
        /// database.
        case blob([UInt8], byteCount: Int)

        /// A whole text.
        public static func text(_ text: String) -> SQLiteValue {
            .text(text, byteCount: text.utf8.count)
        }

        /// A whole blob.
        public static func blob(_ bytes: [UInt8]) -> SQLiteValue {
            .blob(bytes, byteCount: bytes.count)
        }
    }
}

extension Epitaph {
    /// The rows that a statement returned.
    public struct SQLiteRows: Sendable, Equatable {
        /// The names of the columns, as the statement has them.
        public var columns: [String] = []
        /// As many values in each as there are columns.
        public var rows: [[SQLiteValue]] = []
        /// Whether there are more rows than these.
        public var isCut = false
    }
}

extension Epitaph {
    /// A table or view.
    public struct SQLiteTable: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// What it is.
        public var kind: Kind
        /// The statement that made it.
        public var statement: String
        /// In their order in the table.
        public var columns: [Column]

        /// What rows are read from.
        public enum Kind: String, Sendable {
            /// A table, or a view, which is a stored query.
            case table, view
        }

        /// One column.
        public struct Column: Sendable, Equatable {
            /// Its name.
            public var name: String
            /// As declared; empty if nothing was.
            public var type: String
            /// Whether it must have a value.
            public var isRequired: Bool
            /// Its place in the primary key, from 1; 0 for none.
            public var keyPosition: Int
        }
    }
}
