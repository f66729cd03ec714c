// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphValues

/// One ELF file whose DWARF libdw has opened.
final class LibdwFile {
    let dwarf: OpaquePointer
    // libdw holds pointers into it.
    private let memory: LibelfMemory
    private let alternate: LibdwFile?
    private let unitShare: HeldShare
    let lineTables: LineTableSizes

    /// - Parameter alternate: the dwz file whose entries this one refers to.
    ///
    /// - Throws: why it was not read.
    convenience init(
        _ image: ELFImage, alternate: LibdwFile? = nil
    ) throws(LibelfMemory.Refusal) {
        try self.init(DebugSection.needed(of: image), machine: image.machine, alternate: alternate)
    }

    init(
        _ sections: [DebugSection], machine: UInt16, alternate: LibdwFile? = nil
    ) throws(LibelfMemory.Refusal) {
        let memory = try LibelfMemory(sections, machine: machine)
        let headers = UnitHeaders(memory)
        // libdw allocates memory for each unit, however small.
        guard let unitShare = HeldShare(headers.libdwBytes) else {
            throw .init(
                reason: "its debug information has too many units or abbreviations, and "
                    + HeldMemory.shortage)
        }
        guard let dwarf = epitaph_dwarf_begin_elf(memory.elf, DWARF_C_READ, nil) else {
            throw .init(reason: "libdw finds no debug information in it")
        }
        self.unitShare = unitShare
        lineTables = LineTableSizes(memory)
        self.memory = memory
        self.dwarf = dwarf
        self.alternate = alternate
        if let alternate { epitaph_dwarf_setalt(dwarf, alternate.dwarf) }
    }

    deinit {
        epitaph_dwarf_end(dwarf)
    }

    /// The bytes of a section, inflated; empty if there is none.
    func section(named name: String) -> ByteSlice {
        memory.section(named: name)
    }

    /// The first entries of all units, in file order.
    func unitEntries(_ budget: WorkBudget) -> [DIE] {
        var entries: [DIE] = []
        var offset: epitaph_Dwarf_Off = 0
        while budget.spend() {
            var next: epitaph_Dwarf_Off = 0
            var headerSize = 0
            guard epitaph_dwarf_nextcu(dwarf, offset, &next, &headerSize, nil, nil, nil) == 0 else {
                break
            }
            var raw = epitaph_Dwarf_Die()
            if epitaph_dwarf_offdie(dwarf, offset &+ UInt64(headerSize), &raw) != nil {
                entries.append(DIE(raw))
            }
            guard next > offset else { break }
            offset = next
        }
        return entries
    }
}
