// SPDX-License-Identifier: Apache-2.0

import Bytes
import CElfutils
import ELFImage

/// One ELF file with its DWARF as libdw has it open.
final class LibdwFile {
    let dwarf: OpaquePointer
    // libdw points into it.
    private let memory: LibelfMemory
    private let alternate: LibdwFile?

    /// - Parameter alternate: the dwz file whose entries this one refers to.
    init?(_ image: ELFImage, alternate: LibdwFile? = nil) {
        guard let memory = LibelfMemory(image),
            let dwarf = dwarf_begin_elf(memory.elf, DWARF_C_READ, nil)
        else { return nil }
        self.memory = memory
        self.dwarf = dwarf
        self.alternate = alternate
        if let alternate { dwarf_setalt(dwarf, alternate.dwarf) }
    }

    deinit {
        dwarf_end(dwarf)
    }

    /// The bytes of a section, inflated; empty when there is none.
    func section(named name: String) -> ByteSlice {
        memory.section(named: name)
    }

    /// The first entries of all units, in file order.
    func unitEntries(_ budget: WorkBudget) -> [DIE] {
        var entries: [DIE] = []
        var offset: Dwarf_Off = 0
        while budget.spend() {
            var next: Dwarf_Off = 0
            var headerSize = 0
            guard dwarf_nextcu(dwarf, offset, &next, &headerSize, nil, nil, nil) == 0 else { break }
            var raw = Dwarf_Die()
            if dwarf_offdie(dwarf, offset &+ UInt64(headerSize), &raw) != nil {
                entries.append(DIE(raw))
            }
            guard next > offset else { break }
            offset = next
        }
        return entries
    }
}
