// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ELFImage {
    /// The mangled name of the variable at `fileAddress`, such as a type's table; nil if no symbol
    /// has it. Searches the whole table.
    package func objectName(containing fileAddress: UInt64) -> String? {
        // SHT_SYMTAB 2, SHT_DYNSYM 11
        for section in sections where section.type == 2 || section.type == 11 {
            guard Int(section.link) < sections.count else { continue }
            var found: SymbolEntry?
            SymbolEntry.forEach(in: contents(of: section)) { entry in
                // STT_OBJECT is 1. Of nested ones, the one that begins last.
                let isInside = fileAddress &- entry.address < entry.size
                guard entry.type == 1, entry.section != 0, isInside,
                    entry.address > found?.address ?? 0
                else { return }
                found = entry
            }
            let names = contents(of: sections[Int(section.link)])
            if let found, let name = names.terminatedText(at: Int(found.nameOffset)) { return name }
        }
        return nil
    }
}
