// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// A compilation unit: the entries of its functions, and how to read their addresses. DWARF 5, 3.1.
struct CompilationUnit {
    /// The first entry in the file that has the code; the line table belongs to it.
    let skeleton: DIE
    /// The entry that contains the functions: `skeleton`, or one in a separate file.
    let root: DIE
    /// Reads addresses of entries in a separate file; nil if libdw can do it.
    private let splitAddresses: SplitAddresses?
    private let code: CodeAddresses

    init(_ entry: DIE, code: CodeAddresses) {
        skeleton = entry
        root = entry
        splitAddresses = nil
        self.code = code
    }

    init(_ skeleton: DIE, splitInto split: SplitUnit, code: CodeAddresses) {
        self.skeleton = skeleton
        root = split.entry
        splitAddresses = split.addresses
        self.code = code
    }

    var isSplit: Bool { splitAddresses != nil }
    /// Those of the file that has `root`, if that is a separate one.
    var splitLineTables: LineTableSizes? { splitAddresses?.split.lineTables }

    /// The addresses of an entry's code, one range or several; empty if it has none.
    func ranges(of entry: DIE, _ budget: WorkBudget) -> [Range<UInt64>] {
        let ranges = splitAddresses?.ranges(of: entry, budget) ?? entry.ranges(budget)
        return ranges.filter(code.contain)
    }
}

extension DIE {
    /// The addresses as libdw reads them.
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
