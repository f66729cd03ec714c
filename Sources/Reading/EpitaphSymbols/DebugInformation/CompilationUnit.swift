// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// The functions of a compilation unit, and how to read their addresses. DWARF 5, 3.1.
struct CompilationUnit {
    /// The first entry in the file with the code; has the line table.
    let skeleton: DIE
    /// Contains the functions: `skeleton`, or an entry of a separate file.
    let root: DIE
    /// The file of `root`.
    let file: LibdwFile
    private let splitAddresses: SplitAddresses?
    private let code: CodeAddresses

    init(_ entry: DIE, of file: LibdwFile, code: CodeAddresses) {
        skeleton = entry
        root = entry
        self.file = file
        splitAddresses = nil
        self.code = code
    }

    init(_ skeleton: DIE, splitInto split: SplitUnit, code: CodeAddresses) {
        self.skeleton = skeleton
        root = split.entry
        file = split.addresses.split
        splitAddresses = split.addresses
        self.code = code
    }

    var isSplit: Bool { splitAddresses != nil }
    /// From the separate file with `root`.
    var splitLineTables: LineTableSizes? { isSplit ? file.lineTables : nil }

    func ranges(of entry: DIE, _ budget: WorkBudget) -> [Range<UInt64>] {
        let ranges = splitAddresses?.ranges(of: entry, budget) ?? entry.ranges(budget)
        return ranges.filter(code.contain)
    }
}

extension DIE {
    fileprivate func ranges(_ budget: WorkBudget) -> [Range<UInt64>] {
        var copy = raw
        var ranges: [Range<UInt64>] = []
        var position = 0
        var base: epitaph_Dwarf_Addr = 0
        var start: epitaph_Dwarf_Addr = 0
        var end: epitaph_Dwarf_Addr = 0
        while budget.spend() {
            position = epitaph_dwarf_ranges(&copy, position, &base, &start, &end)
            guard position > 0 else { break }
            if start < end { ranges.append(start..<end) }
        }
        return ranges
    }
}
