// SPDX-License-Identifier: Apache-2.0

import CElfutils

/// A place in a source file.
struct SourcePlace {
    var file: String?
    /// Nil for 0, which DWARF has for code that belongs to no line (DWARF 5, 6.2.2).
    var line: Int?
    var column: Int?
}

/// The line table of one compilation unit.
struct SourceUnit {
    private let unit: DIE

    init(_ unit: DIE) {
        self.unit = unit
    }

    func place(of address: UInt64) -> SourcePlace {
        var raw = unit.raw
        guard let row = dwarf_getsrc_die(&raw, address) else { return SourcePlace() }
        var line: Int32 = 0
        var column: Int32 = 0
        dwarf_lineno(row, &line)
        dwarf_linecol(row, &column)
        return SourcePlace(
            file: dwarf_linesrc(row, nil, nil).map { String(cString: $0) },
            line: line > 0 ? Int(line) : nil, column: column > 0 ? Int(column) : nil)
    }

    /// Where an inlined call was made from.
    func callSite(of call: DIE) -> SourcePlace {
        SourcePlace(
            file: call.callFile.flatMap { fileName($0) }, line: positive(call.callLine),
            column: positive(call.callColumn))
    }

    private func fileName(_ index: UInt64) -> String? {
        var raw = unit.raw
        var files: OpaquePointer?
        var count = 0
        guard dwarf_getsrcfiles(&raw, &files, &count) == 0, let files,
            let index = Int(exactly: index), index < count,
            let name = dwarf_filesrc(files, index, nil, nil)
        else { return nil }
        return String(cString: name)
    }

    private func positive(_ number: UInt64?) -> Int? {
        number.flatMap { $0 > 0 ? Int(exactly: $0) : nil }
    }
}
