// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

struct FunctionSymbols {
    private let tables: [ELFSymbolTable]
    private let images: [ELFImage]

    /// - Parameter sources: `.symbolTables` skips the compressed table, whose library it avoids.
    init(_ files: [LocatedImage], _ sources: Symbolicator.Sources = .debugInformation) {
        images = files.map(\.image)
        // A debug file has the whole table (SHT_SYMTAB is 2), a stripped one exported functions and
        // perhaps a compressed table.
        if let complete = files.first(where: { $0.image.sections.contains { $0.type == 2 } }) {
            tables = [complete.image.symbols]
        } else {
            let opened = sources == .debugInformation ? files.filter(\.isInstalled) : []
            let hidden = opened.lazy.compactMap { MiniDebugInformation.image(in: $0.image) }.first
            tables = [files.first?.image, hidden].compactMap(\.self).map(\.symbols)
        }
    }

    /// The reason for missing functions, as a clause.
    var problem: String? { tables.contains(where: \.isCut) ? HeldMemory.shortage : nil }

    /// Prefers symbols with a size.
    func symbol(containing address: UInt64) -> ELFSymbol? {
        let found = tables.compactMap { $0.symbol(containing: address) }
        return found.first { $0.size > 0 } ?? found.max { $0.address < $1.address }
    }

    func names(ofFunctionAt address: UInt64) -> [String] {
        tables.flatMap { $0.names(ofFunctionAt: address) }
    }

    func objectName(containing address: UInt64) -> String? {
        images.lazy.compactMap { $0.objectName(containing: address) }.first
    }

    /// Starts and ends of functions.
    var boundaries: [UInt64] { tables.flatMap(\.boundaries) }
}
