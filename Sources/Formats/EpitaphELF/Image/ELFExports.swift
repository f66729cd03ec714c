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
            var cursor = ByteCursor(image.contents(of: table))
            // Elf64_Sym: name 4, info 1, other 1, section 2, value 8, size 8.
            while functions.count < ELFSymbolTable.entryLimit,
                let name = try? cursor.read(UInt32.self), let info = try? cursor.read(UInt8.self),
                (try? cursor.skip(1)) != nil, let section = try? cursor.read(UInt16.self),
                let address = try? cursor.read(UInt64.self), (try? cursor.skip(8)) != nil
            {
                // STT_NOTYPE 0, STT_FUNC 2, STT_GNU_IFUNC 10; SHN_UNDEF 0
                guard [0, 2, 10].contains(info & 15), section != 0,
                    let text = names.terminatedText(at: Int(name)), !text.isEmpty
                else { continue }
                functions[text] = Function(address: address, isIndirect: info & 15 == 10)
            }
        }
        self.functions = functions
    }

    package func function(named name: String) -> Function? { functions[name] }
}
