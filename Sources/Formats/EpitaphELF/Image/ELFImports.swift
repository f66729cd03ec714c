// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What the dynamic linker writes into an image's slots for functions, through which linkage stubs
/// and `-fno-plt` code call. gABI, Relocation; the psABIs of x86_64 and AArch64.
package struct ELFImports: Sendable {
    package enum Function: Sendable, Equatable {
        /// The function with this name in the first image that defines it.
        case named(String)
        /// One of the image's own, which a resolver chooses: R_*_IRELATIVE.
        case own
    }

    /// Relocations that are examined; chromium has about 10,000 for functions.
    private static let entryLimit = 1 << 20

    private let slots: [UInt64: UInt32]
    private let symbols: ByteSlice
    private let names: ByteSlice

    /// - Parameter machine: `e_machine`
    init(_ section: ELFDynamicSection, machine: UInt16) {
        // R_X86_64_GLOB_DAT, _JUMP_SLOT, _IRELATIVE; R_AARCH64_GLOB_DAT, _JUMP_SLOT, _IRELATIVE
        let types: [UInt32] = machine == 62 ? [6, 7, 37] : [1025, 1026, 1032]
        var slots: [UInt64: UInt32] = [:]
        // DT_JMPREL with DT_PLTRELSZ, DT_RELA with DT_RELASZ
        for (table, size): (UInt64, UInt64) in [(23, 2), (7, 8)] {
            let entries = section.table(table, byteCount: section.value(size) ?? 0)
            var cursor = ByteCursor(entries)
            // Elf64_Rela: offset 8, type 4, symbol 4, addend 8.
            while slots.count < Self.entryLimit, let slot = try? cursor.read(UInt64.self),
                let type = try? cursor.read(UInt32.self),
                let symbol = try? cursor.read(UInt32.self), (try? cursor.skip(8)) != nil
            {
                if types.contains(type) { slots[slot] = type == types[2] ? 0 : symbol }
            }
        }
        self.slots = slots
        // DT_SYMTAB and DT_STRTAB, which give no sizes that matter here.
        symbols = section.table(6)
        names = section.table(5)
    }

    package func function(atSlot fileAddress: UInt64) -> Function? {
        guard let symbol = slots[fileAddress] else { return nil }
        guard symbol > 0 else { return .own }
        // Elf64_Sym begins with the name's offset.
        var cursor = ByteCursor(symbols.slice(from: Int(symbol) * 24, length: 4))
        guard let offset = try? cursor.read(UInt32.self),
            let name = names.terminatedText(at: Int(offset)), !name.isEmpty
        else { return nil }
        return .named(name)
    }
}

extension ELFImage {
    /// Nil for a statically linked image and for a debug file.
    package var imports: ELFImports? {
        guard hasCode else { return nil }
        return ELFDynamicSection(segments: segments, in: bytes).map {
            ELFImports($0, machine: machine)
        }
    }
}
