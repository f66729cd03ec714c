// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Memory that libdw may take to index units: some hundred bytes per unit and per abbreviation. In
/// a mebibyte 80,000 units can share 200,000 abbreviations, copied for each. DWARF 5, 7.5.
struct UnitHeaders {
    /// `struct Dwarf_CU` and its abbreviation hash table: libdwP.h of elfutils 0.188.
    private static let bytesPerUnit = 1_200
    private static let bytesPerAbbreviation = 96
    private static let stepLimit = 8_000_000

    private(set) var libdwBytes = 0

    init(_ memory: LibelfMemory) {
        for suffix in ["", ".dwo"] {
            let abbreviations = memory.section(named: ".debug_abbrev" + suffix)
            for name in [".debug_info", ".debug_types"] {
                count(memory.section(named: name + suffix), abbreviations)
            }
        }
    }

    private mutating func count(_ units: ByteSlice, _ abbreviations: ByteSlice) {
        var offset = 0
        var steps = Self.stepLimit
        var counts: [Int: Int] = [:]
        while let unit = UnitHeader(units, at: offset), libdwBytes < HeldMemory.limitBytes {
            offset = unit.endOffset
            var count = counts[unit.abbreviationOffset]
            if count == nil {
                let read = abbreviations.slice(from: unit.abbreviationOffset).withUnsafeBytes {
                    Self.abbreviationCount($0, limit: steps)
                }
                steps -= read
                count = steps > 0 ? read : HeldMemory.limitBytes
            }
            counts[unit.abbreviationOffset] = count
            libdwBytes += Self.bytesPerUnit + (count ?? 0) * Self.bytesPerAbbreviation
        }
    }

    /// DWARF 5, 7.5.3.
    private static func abbreviationCount(_ table: UnsafeRawBufferPointer, limit: Int) -> Int {
        var numbers = EncodedNumbers(table)
        var count = 0
        while count < limit, let code = numbers.next(), code != 0, numbers.next() != nil {
            numbers.skip(1)
            while let attribute = numbers.next(), let form = numbers.next() {
                if form == 0x21 { _ = numbers.next() }
                if attribute == 0, form == 0 { break }
            }
            count += 1
        }
        return count
    }
}
