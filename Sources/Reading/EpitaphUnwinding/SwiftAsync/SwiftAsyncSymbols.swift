// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// What the symbols of one Swift image say about its async functions. Empty for an image without
/// Swift code, whose symbols are not even read.
struct SwiftAsyncSymbols {
    let table: ELFSymbolTable?
    /// The names of async functions at their very beginning.
    let entries: Set<String>

    /// - Parameter files: the loaded image, and its debug file if there is one.
    init(_ files: [ELFImage]) {
        // Sections that every image with Swift types or functions has;
        // swift/stdlib/public/runtime/SwiftRT-ELF-WASM.cpp.
        let isSwift = files.contains { file in
            file.sections.contains { $0.name.hasPrefix("swift5_") }
        }
        guard isSwift else {
            table = nil
            entries = []
            return
        }
        // A debug file has the whole table; a stripped file has only what is exported.
        let complete = files.first { file in file.sections.contains { $0.type == 2 } }
        table = (complete ?? files.first).map(ELFSymbolTable.init)
        entries = (complete ?? files.first).map(Self.asyncEntries) ?? []
    }

    /// Whether this can be the function of a statically linked runtime that calls into a task: true
    /// unless something contradicts it.
    func mayRunJobs(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        table != nil && name(at: address, module) ?? Self.jobRunner == Self.jobRunner
    }

    /// The functions of the runtime that a task returns to when its last function has finished.
    func isTaskEnd(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        name(at: address, module).map { name in
            name.hasPrefix("_ZL") && name.contains("PN5swift12AsyncContextE")
        } ?? false
    }

    private func name(at address: UInt64, _ module: LoadedModules.Module) -> String? {
        table?.symbol(containing: module.fileAddress(address))?.name
    }

    /// `swift::runJobInEstablishedExecutorContext(swift::Job *)`, stdlib/public/Concurrency/
    /// Actor.cpp.
    private static let jobRunner = "_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE"

    /// So that a table of names without terminators is not read once for each symbol.
    private static let nameLimit = 4_096
    /// Limit for all names together.
    private static let namesLimit = 16 << 20

    /// For each async function there is a record for its callers, whose name is the function's and
    /// "Tu": swift/docs/ABI/Mangling.rst, "async function pointer".
    private static func asyncEntries(of file: ELFImage) -> Set<String> {
        var names: Set<String> = []
        var byteCount = 0
        // SHT_SYMTAB 2, SHT_DYNSYM 11
        for section in file.sections where section.type == 2 || section.type == 11 {
            guard Int(section.link) < file.sections.count else { continue }
            let strings = file.contents(of: file.sections[Int(section.link)])
            strings.withUnsafeBytes { strings in
                file.contents(of: section).withUnsafeBytes { symbols in
                    for position in dataNames(symbols) {
                        let name = strings.dropFirst(position).prefix(nameLimit)
                            .prefix { $0 != 0 }
                        guard name.suffix(2).elementsEqual("Tu".utf8) else { continue }
                        byteCount += name.count
                        guard byteCount < namesLimit else { return }
                        names.insert(String(decoding: name.dropLast(2), as: UTF8.self))
                    }
                }
            }
        }
        return names
    }

    /// Where the names of data begin. Elf64_Sym: name 4, info 1, other 1, section 2, value 8, size
    /// 8; STT_OBJECT 1.
    private static func dataNames(_ symbols: UnsafeRawBufferPointer) -> some Sequence<Int> {
        stride(from: 0, to: symbols.count - 23, by: 24).lazy.filter { symbols[$0 + 4] & 15 == 1 }
            .map { Int(symbols.loadUnaligned(fromByteOffset: $0, as: UInt32.self)) }
    }
}
