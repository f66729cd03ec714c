// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

/// Of a property, map or array. Any number but 0 may occur; this version's have a name.
package struct DumpKey: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ key: epitaph_dump_key) {
        rawValue = UInt16(truncatingIfNeeded: key.rawValue)
    }

    package var name: String? { Self.rows[rawValue]?.name }

    package var typeName: String? { Self.rows[rawValue]?.typeName }

    package var label: String { name ?? "key \(rawValue)" }

    var type: epitaph_dump_type? { Self.rows[rawValue]?.type }

    private struct Row {
        let name: String
        let type: epitaph_dump_type
        let typeName: String
    }

    // A dictionary, because the C table is searched linearly and a dump may have a million keys.
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
    /// No key, as for the root map and maps in arrays.
    static var none: DumpKey { DumpKey(rawValue: 0) }
}
