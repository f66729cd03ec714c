// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

/// A row of C's table of options, epitaph_option_table.h.
package typealias OptionRow = UnsafePointer<epitaph_option_row>

package enum OptionRows {
    nonisolated(unsafe) package static let all: [OptionRow] = {
        var count = 0
        guard let first = epitaph_option_rows(&count) else { return [] }
        return (0..<count).map { first + $0 }
    }()

    package static func of(_ group: epitaph_option_group) -> [OptionRow] {
        all.filter { $0.pointee.group == group }
    }
}

extension CrashReporterOptions {
    /// C's structure with all defaults. Its pointers are NULL.
    static var defaultFields: epitaph_options {
        var fields = epitaph_options()
        fields.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
        for row in OptionRows.all { epitaph_option_set(&fields, row, row.pointee.standard) }
        return fields
    }

    /// The number in a row's field; of a flag 1 for yes. Nil if the field holds no number.
    package func number(of row: OptionRow) -> UInt64? {
        if row.pointee.group == EPITAPH_OPTION_LIMIT { return limits.number(of: row) }
        var number: UInt64 = 0
        let isNumber = withUnsafePointer(to: fields) { epitaph_option_get($0, row, &number) }
        return isNumber ? number : nil
    }

    package mutating func set(_ number: UInt64, of row: OptionRow) {
        if row.pointee.group == EPITAPH_OPTION_LIMIT {
            epitaph_limit_set(&limits.fields, row, number)
        } else {
            epitaph_option_set(&fields, row, number)
        }
    }
}

extension CaptureLimits {
    static var defaultFields: epitaph_limits {
        var fields = epitaph_limits()
        fields.size_bytes = UInt32(MemoryLayout<epitaph_limits>.size)
        for row in OptionRows.all { epitaph_limit_set(&fields, row, row.pointee.standard) }
        return fields
    }

    func number(of row: OptionRow) -> UInt64? {
        var number: UInt64 = 0
        let isLimit = withUnsafePointer(to: fields) { epitaph_limit_get($0, row, &number) }
        return isLimit ? number : nil
    }
}
