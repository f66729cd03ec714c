// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The functions that an image offers to others, by name: `.dynsym`. gABI, Symbol Table.
package struct ELFExports: Sendable {
    package struct Function: Sendable, Equatable {
        /// As in the file.
        package let address: UInt64
        /// STT_GNU_IFUNC: `address` is a resolver, and another function is called.
        package let isIndirect: Bool
    }

    private let functions: [String: Function]

    package init(_ image: ELFImage) {
        var functions: [String: Function] = [:]
        // SHT_DYNSYM
        if let table = image.sections.first(where: { $0.type == 11 }),
            Int(table.link) < image.sections.count
        {
            let names = image.contents(of: image.sections[Int(table.link)])
            SymbolEntry.forEach(in: image.contents(of: table)) { entry in
                guard [0, 2, 10].contains(entry.type), entry.section != 0,
                    functions.count < ELFSymbolTable.entryLimit,
                    let text = names.terminatedText(at: Int(entry.nameOffset)), !text.isEmpty
                else { return }
                functions[text] = Function(
                    address: entry.address, isIndirect: entry.type == 10)
            }
        }
        self.functions = functions
    }

    package func function(named name: String) -> Function? { functions[name] }
}
