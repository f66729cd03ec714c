// SPDX-License-Identifier: Apache-2.0

import CElfutils
import ELFImage

/// The DWARF of one ELF file, ready for many lookups by address. Addresses are those written in the
/// file.
///
/// Units and functions are indexed by walking them: Swift writes no `.debug_aranges`, without which
/// libdw's own lookups find nothing.
final class DebugInformation {
    // libdw points into it.
    private let memory: LibelfMemory
    private let dwarf: OpaquePointer
    private let units: AddressIndex
    private var functions: [UInt64: AddressIndex] = [:]

    /// More units, functions and nesting than any real file has; a corrupt one may go in circles.
    private enum Limit {
        static let units = 200_000
        static let entries = 4_000_000
        static let depth = 128
    }

    init?(_ image: ELFImage) {
        guard let memory = LibelfMemory(image),
            let dwarf = dwarf_begin_elf(memory.elf, DWARF_C_READ, nil)
        else { return nil }
        self.memory = memory
        self.dwarf = dwarf
        units = Self.indexUnits(of: dwarf)
    }

    deinit {
        dwarf_end(dwarf)
    }

    /// The calls at `address`, innermost first: those inlined, then the function. Empty where no
    /// function is known.
    func calls(at address: UInt64) -> [SourceFrame] {
        for unitOffset in units.values(containing: address) {
            guard let unit = entry(at: unitOffset), let function = function(at: address, in: unit)
            else { continue }
            let chain = [function] + inlinedCalls(at: address, in: function)
            return frames(of: chain, at: address, in: SourceUnit(unit))
        }
        return []
    }

    private func entry(at offset: UInt64) -> DIE? {
        var raw = Dwarf_Die()
        return dwarf_offdie(dwarf, offset, &raw) == nil ? nil : DIE(raw)
    }

    private static func indexUnits(of dwarf: OpaquePointer) -> AddressIndex {
        var ranges: [(Range<UInt64>, UInt64)] = []
        var offset: Dwarf_Off = 0
        for _ in 0..<Limit.units {
            var next: Dwarf_Off = 0
            var headerSize = 0
            guard dwarf_nextcu(dwarf, offset, &next, &headerSize, nil, nil, nil) == 0 else { break }
            var raw = Dwarf_Die()
            if dwarf_offdie(dwarf, offset + UInt64(headerSize), &raw) != nil {
                let unit = DIE(raw)
                ranges += unit.addressRanges.map { ($0, unit.offset) }
            }
            guard next > offset else { break }
            offset = next
        }
        return AddressIndex(ranges)
    }

    private func function(at address: UInt64, in unit: DIE) -> DIE? {
        let index: AddressIndex
        if let known = functions[unit.offset] {
            index = known
        } else {
            index = Self.indexFunctions(of: unit)
            functions[unit.offset] = index
        }
        return index.values(containing: address).first.flatMap { entry(at: $0) }
    }

    private static func indexFunctions(of unit: DIE) -> AddressIndex {
        var ranges: [(Range<UInt64>, UInt64)] = []
        var entriesLeft = Limit.entries
        var path: [DIE?] = [unit.firstChild]
        while let last = path.last {
            guard let entry = last, entriesLeft > 0 else {
                path.removeLast()
                continue
            }
            entriesLeft -= 1
            path[path.count - 1] = entry.nextSibling
            let tag = entry.tag
            if tag == .function {
                ranges += entry.addressRanges.map { ($0, entry.offset) }
            }
            if tag == .function || tag == .block || tag == .scope, path.count < Limit.depth {
                path.append(entry.firstChild)
            }
        }
        return AddressIndex(ranges)
    }

    /// The inlined calls that hold `address`, outermost first.
    private func inlinedCalls(at address: UInt64, in function: DIE) -> [DIE] {
        var calls: [DIE] = []
        var entriesLeft = Limit.entries
        var depth = 0
        var next = function.firstChild
        while let entry = next, entriesLeft > 0, depth < Limit.depth {
            entriesLeft -= 1
            let tag = entry.tag
            guard tag == .inlinedCall || tag == .block, entry.contains(address) else {
                next = entry.nextSibling
                continue
            }
            if tag == .inlinedCall { calls.append(entry) }
            depth += 1
            next = entry.firstChild
        }
        return calls
    }

    /// Puts names and places together. The innermost call is at the line of the address; each other
    /// one at the line it called the next from.
    private func frames(of chain: [DIE], at address: UInt64, in unit: SourceUnit) -> [SourceFrame] {
        var place = unit.place(of: address)
        var frames: [SourceFrame] = []
        for (depth, entry) in chain.enumerated().reversed() {
            var frame = SourceFrame(isInlined: depth > 0, namedBy: .debugInformation)
            frame.rawName = entry.name
            frame.function = entry.name.map(Demangler.demangle)
            frame.file = place.file
            frame.line = place.line
            frame.column = place.column
            if depth == 0 {
                let start = entry.addressRanges.first?.lowerBound
                frame.functionOffset = start.flatMap { $0 <= address ? address - $0 : nil }
            }
            frames.append(frame)
            place = unit.callSite(of: entry)
        }
        return frames
    }
}
