// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

struct SourcePlace {
    /// A full path if the compiler recorded its working directory.
    var file: String?
    /// Nil for 0, code that belongs to no line (DWARF 5, 6.2.2).
    var line: Int?
    var column: Int?
}

struct SourceUnit {
    private let unit: CompilationUnit
    private let sizes: LineTableSizes

    init(_ unit: CompilationUnit, _ sizes: LineTableSizes) {
        self.unit = unit
        self.sizes = sizes
    }

    func place(of address: UInt64) -> SourcePlace {
        var raw = unit.skeleton.raw
        guard sizes.haveRoom(for: unit.skeleton), let row = epitaph_dwarf_getsrc_die(&raw, address)
        else {
            return SourcePlace()
        }
        var line: Int32 = 0
        var column: Int32 = 0
        epitaph_dwarf_lineno(row, &line)
        epitaph_dwarf_linecol(row, &column)
        let file = epitaph_dwarf_linesrc(row, nil, nil).flatMap(boundedText)
        return place(file: file, line: UInt64(clamping: line), column: UInt64(clamping: column))
    }

    func callSite(of call: DIE) -> SourcePlace {
        let file = call.callFile.flatMap { fileName($0, of: unit.root) }
        return place(file: file, line: call.callLine, column: call.callColumn)
    }

    /// A split unit has its own file table (DWARF 5, 7.3.2.2), or uses its skeleton's.
    private func fileName(_ index: UInt64, of entry: DIE, isSkeleton: Bool = false) -> String? {
        var raw = entry.raw
        var files: OpaquePointer?
        var count = 0
        let sizes = isSkeleton ? sizes : unit.splitLineTables ?? sizes
        guard sizes.haveRoom(for: entry), epitaph_dwarf_getsrcfiles(&raw, &files, &count) == 0,
            let files
        else {
            return isSkeleton || !unit.isSplit
                ? nil : fileName(index, of: unit.skeleton, isSkeleton: true)
        }
        guard let index = Int(exactly: index), index < count,
            let name = epitaph_dwarf_filesrc(files, index, nil, nil)
        else { return nil }
        return boundedText(name)
    }

    private func place(file: String?, line: UInt64?, column: UInt64?) -> SourcePlace {
        let place = SourcePlace(line: positive(line), column: positive(column))
        guard let file, !file.isEmpty else { return SourcePlace() }
        // Swift's file name for generated code.
        guard !file.hasSuffix("<compiler-generated>") else { return SourcePlace() }
        return SourcePlace(file: fullPath(file), line: place.line, column: place.column)
    }

    private func fullPath(_ file: String) -> String {
        guard !file.hasPrefix("/"),
            let directory = unit.skeleton.ownText(Int(DW_AT_comp_dir)), !directory.isEmpty
        else { return file }
        return directory.hasSuffix("/") ? directory + file : directory + "/" + file
    }

    private func positive(_ number: UInt64?) -> Int? {
        number.flatMap { $0 > 0 ? Int(exactly: $0) : nil }
    }
}
