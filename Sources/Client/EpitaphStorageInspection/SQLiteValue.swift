// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A value of a row, or one for a placeholder of a statement: sqlite.org/datatype3.html.
    public enum SQLiteValue: Sendable, Equatable {
        /// NULL.
        case null
        /// A whole number.
        case integer(Int64)
        /// A floating-point number.
        case real(Double)
        /// At most `StorageOptions.valueLimitBytes` of a text, whose size in the database is
        /// `byteCount`. What is no UTF-8 in it is replaced.
        case text(String, byteCount: Int)
        /// At most `StorageOptions.valueLimitBytes` of a blob, whose size in the database is
        /// `byteCount`.
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
    /// Rows that a statement gave.
    public struct SQLiteRows: Sendable, Equatable {
        /// The names of the columns, as the statement has them.
        public var columns: [String] = []
        /// As many values in each as there are columns.
        public var rows: [[SQLiteValue]] = []
        /// Whether there are more rows than are given.
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
            /// As it was declared; empty where nothing was.
            public var type: String
            /// Whether it must have a value.
            public var isRequired: Bool
            /// Its place in the primary key, from 1; 0 for none.
            public var keyPosition: Int
        }
    }
}
