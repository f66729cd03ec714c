// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

/// Finds the functions of a unit that have machine code, by reading its entries one behind the
/// other. libdw looks for each entry's abbreviation under a lock and takes ten times as long, which
/// matters in units of types alone: each of Swift's object files refers to some.
final class FunctionEntries {
    private let sections: [(entries: ByteSlice, abbreviations: ByteSlice)]
    /// Units of one object file share it, and stand together.
    private var latest: (offset: Int, format: EntryFormat, table: Abbreviations)?
    /// The first entries of units without functions: of a program's hundreds of skeleton units many
    /// have the same other half.
    private var empty: Set<UnsafeMutableRawPointer> = []

    init(_ memory: LibelfMemory) {
        // A file has one of the two.
        sections = ["", ".dwo"].map {
            (memory.section(named: ".debug_info" + $0), memory.section(named: ".debug_abbrev" + $0))
        }
    }

    /// Calls `visit` with each until it returns false.
    ///
    /// - Returns: false if the entries do not end as they should, or are not in our memory; some
    ///   may have been visited.
    func visit(
        below root: DIE, depthLimit: Int, _ budget: WorkBudget, _ visit: (DIE) -> Bool
    ) -> Bool {
        guard let address = root.raw.addr else { return false }
        if empty.contains(address) { return true }
        return sections.contains { entries, abbreviations in
            entries.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                let offset = UnsafeRawPointer(address) - start
                guard bytes.indices.contains(offset),
                    let unit = UnitHeader(entries, at: offset - root.offsetInUnit),
                    unit.endOffset > offset, let table = table(of: unit, abbreviations)
                else { return false }
                let unitBytes = UnsafeRawBufferPointer(rebasing: bytes[offset..<unit.endOffset])
                var isEmpty = true
                let ending = Self.visit(unitBytes, table, depthLimit, budget) {
                    isEmpty = false
                    return visit(root.entry(behind: $0))
                }
                if isEmpty, ending == .whole { empty.insert(address) }
                return ending != .unreadable
            }
        }
    }

    private func table(of unit: UnitHeader, _ abbreviations: ByteSlice) -> Abbreviations? {
        let offset = unit.abbreviationOffset
        if let latest, latest.offset == offset, latest.format == unit.format { return latest.table }
        let table = abbreviations.slice(from: offset).withUnsafeBytes {
            Abbreviations($0, unit.format)
        }
        latest = table.map { (offset, unit.format, $0) }
        return table
    }

    private enum Ending {
        case whole, stopped, unreadable
    }

    /// Gives the offsets of functions from the root, with which `unit` begins.
    private static func visit(
        _ unit: UnsafeRawBufferPointer, _ table: Abbreviations, _ depthLimit: Int,
        _ budget: WorkBudget, _ visit: (Int) -> Bool
    ) -> Ending {
        var numbers = EncodedNumbers(unit)
        guard let code = numbers.next(), let root = table.kind(code) else { return .unreadable }
        table.skip(root, &numbers)
        var depth = root.hasChildren ? 1 : 0
        // Entries deeper than this are in one that holds no functions.
        var shownDepth = Int.max
        while depth > 0 {
            let offset = numbers.offset
            guard let code = numbers.next() else { return .unreadable }
            guard code > 0 else {
                depth -= 1
                if depth <= shownDepth { shownDepth = .max }
                continue
            }
            guard let kind = table.kind(code) else { return .unreadable }
            table.skip(kind, &numbers)
            if depth <= shownDepth {
                guard budget.spend() else { return .stopped }
                if kind.tag == .function, kind.hasAddresses, !visit(offset) { return .stopped }
                let isEntered = kind.tag.mayHoldFunctions && depth < depthLimit
                if kind.hasChildren, !isEntered { shownDepth = depth }
            }
            if kind.hasChildren { depth += 1 }
        }
        return .whole
    }
}

extension DIE {
    fileprivate var offsetInUnit: Int {
        var copy = raw
        return Int(clamping: epitaph_dwarf_cuoffset(&copy))
    }

    fileprivate func entry(behind distance: Int) -> DIE {
        var entry = epitaph_Dwarf_Die()
        entry.cu = raw.cu
        entry.addr = raw.addr.map { $0 + distance }
        return DIE(entry)
    }
}
