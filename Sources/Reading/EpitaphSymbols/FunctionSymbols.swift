// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// The functions in the symbol tables of a module's files. Addresses are those of the files.
struct FunctionSymbols {
    private let tables: [ELFSymbolTable]

    /// - Parameter sources: without debug information the compressed table is not read either,
    /// because it needs the same library.
    init(_ files: [LocatedImage], _ sources: Symbolicator.Sources = .debugInformation) {
        // A debug file has the whole table. A stripped file has only the exported functions, and
        // perhaps the rest in a compressed table. SHT_SYMTAB is 2.
        if let complete = files.first(where: { $0.image.sections.contains { $0.type == 2 } }) {
            tables = [ELFSymbolTable(complete.image)]
        } else {
            let opened = sources == .debugInformation ? files.filter(\.isInstalled) : []
            let hidden = opened.lazy.compactMap { MiniDebugInformation.image(in: $0.image) }.first
            tables = [files.first?.image, hidden].compactMap(\.self).map(ELFSymbolTable.init)
        }
    }

    /// Why some of them are missing, as a clause; nil if none are.
    var problem: String? { tables.contains(where: \.isCut) ? HeldMemory.shortage : nil }

    /// The function that contains `address`, preferably one whose symbol has a size.
    func symbol(containing address: UInt64) -> ELFSymbol? {
        let found = tables.compactMap { $0.symbol(containing: address) }
        return found.first { $0.size > 0 } ?? found.max { $0.address < $1.address }
    }

    func names(ofFunctionAt address: UInt64) -> [String] {
        tables.flatMap { $0.names(ofFunctionAt: address) }
    }

    /// Each address where a function begins or ends.
    var boundaries: [UInt64] { tables.flatMap(\.boundaries) }
}
