// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphValues

final class LibdwFile {
    let dwarf: OpaquePointer
    // libdw holds pointers into it.
    private let memory: LibelfMemory
    private let alternate: LibdwFile?
    private let unitShare: HeldShare
    let lineTables: LineTableSizes
    let functions: FunctionEntries

    /// - Parameter alternate: the dwz file that entries refer to.
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
        // libdw allocates memory for every unit.
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
        functions = FunctionEntries(memory)
        self.memory = memory
        self.dwarf = dwarf
        self.alternate = alternate
        if let alternate { epitaph_dwarf_setalt(dwarf, alternate.dwarf) }
    }

    deinit {
        epitaph_dwarf_end(dwarf)
    }

    /// Inflated bytes; empty without the section.
    func section(named name: String) -> ByteSlice {
        memory.section(named: name)
    }

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
