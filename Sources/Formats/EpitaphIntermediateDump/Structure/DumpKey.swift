// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

/// The number that says what a property, map or array of a dump holds.
///
/// Any number but 0 may occur in a dump; those of this version have a name and a type.
package struct DumpKey: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ key: epitaph_dump_key) {
        rawValue = UInt16(truncatingIfNeeded: key.rawValue)
    }

    /// The name in epitaph_dump_format.h, for example `THREAD_ID`; nil for a key this version does
    /// not know.
    package var name: String? { Self.rows[rawValue]?.name }

    /// The payload type's name there in lower case, for example `u64`; nil for a key this version
    /// does not know.
    package var typeName: String? { Self.rows[rawValue]?.typeName }

    /// The name, or the number if the key has no name.
    package var label: String { name ?? "key \(rawValue)" }

    var type: epitaph_dump_type? { Self.rows[rawValue]?.type }

    private struct Row {
        let name: String
        let type: epitaph_dump_type
        let typeName: String
    }

    // A dictionary, because the C table is searched front to back and a dump may hold a million
    // keys.
    private static let rows: [UInt16: Row] = {
        var rows: [UInt16: Row] = [:]
        var index: UInt32 = 0
        while let name = epitaph_dump_key_row_at(index).name {
            let row = epitaph_dump_key_row_at(index)
            rows[row.number] = Row(
                name: String(cString: name), type: row.type,
                typeName: row.type_name.map { String(cString: $0).lowercased() } ?? "")
            index += 1
        }
        return rows
    }()
}

extension epitaph_dump_command {
    var byte: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

extension DumpKey {
    /// Stands for no key: the root map and the maps in arrays have none.
    static var none: DumpKey { DumpKey(rawValue: 0) }
}
