// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues
import Glibc

struct SwiftAsyncSymbols {
    let table: ELFSymbolTable?
    /// Names of async functions, not of their later parts.
    let entries: Set<String>
    /// Nothing in it is async: it is another language's.
    let isForeign: Bool

    init(_ files: [ELFImage]) {
        // Every Swift image has these sections; swift/stdlib/public/runtime/SwiftRT-ELF-WASM.cpp.
        let isSwift = files.contains { file in
            file.sections.contains { $0.name.hasPrefix("swift5_") }
        }
        // What a dump has of a file that is gone has no sections.
        isForeign = !isSwift && files.contains { !$0.sections.isEmpty }
        guard isSwift else {
            table = nil
            entries = []
            return
        }
        // A stripped file has only exported symbols.
        let complete = files.first { file in file.sections.contains { $0.type == 2 } }
        table = (complete ?? files.first)?.symbols
        entries = (complete ?? files.first).map(Self.asyncEntries) ?? []
    }

    /// True if this may be a static runtime's function that calls into a task: if in doubt, yes.
    func mayRunJobs(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        table != nil && name(at: address, module) ?? Self.jobRunner == Self.jobRunner
    }

    /// The same of the runtime as a library, which may have the one function in the other.
    func doesRunJobs(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        name(at: address, module).map { $0 == Self.jobRunner || $0.has("swift_job_run") } ?? true
    }

    func isCalledByTasks(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        let starts = ["swift_task_", "swift_taskGroup_", "swift_asyncLet_", "swift_continuation_"]
        return name(at: address, module).map { starts.contains(where: $0.hasPrefix) } ?? false
    }

    func isTaskEnd(_ address: UInt64, _ module: LoadedModules.Module) -> Bool {
        name(at: address, module).map { name in
            name.hasPrefix("_ZL") && name.has("PN5swift12AsyncContextE")
        } ?? false
    }

    private func name(at address: UInt64, _ module: LoadedModules.Module) -> String? {
        table?.symbol(containing: module.fileAddress(address))?.name
    }

    /// `swift::runJobInEstablishedExecutorContext(swift::Job *)`,
    /// stdlib/public/Concurrency/Actor.cpp.
    private static let jobRunner = "_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE"

    /// Keeps a table without terminators from being read once per symbol.
    private static let nameLimit = 4_096
    private static let namesLimit = 16 << 20

    /// Each async function has a record named after it, with suffix "Tu":
    /// swift/docs/ABI/Mangling.rst, "async function pointer".
    private static func asyncEntries(of file: ELFImage) -> Set<String> {
        var names: Set<String> = []
        var byteCount = 0
        // SHT_SYMTAB 2, SHT_DYNSYM 11
        for section in file.sections where section.type == 2 || section.type == 11 {
            guard Int(section.link) < file.sections.count else { continue }
            let strings = file.contents(of: file.sections[Int(section.link)])
            strings.withUnsafeBytes { strings in
                file.contents(of: section).withUnsafeBytes { symbols in
                    for index in 0..<symbols.count / 24 {
                        guard let name = asyncName(ofSymbol: index, symbols, strings) else {
                            continue
                        }
                        byteCount += name.count
                        guard byteCount < namesLimit else { return }
                        names.insert(String(decoding: name.dropLast(2), as: UTF8.self))
                    }
                }
            }
        }
        return names
    }

    /// Elf64_Sym: name 4, info 1, other 1, section 2, value 8, size 8; STT_OBJECT 1.
    private static func asyncName(
        ofSymbol index: Int, _ symbols: UnsafeRawBufferPointer, _ strings: UnsafeRawBufferPointer
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard symbols[24 * index + 4] & 15 == 1, let base = strings.baseAddress else { return nil }
        let start = Int(symbols.loadUnaligned(fromByteOffset: 24 * index, as: UInt32.self))
        let room = min(nameLimit, strings.count - start)
        guard room > 0 else { return nil }
        let text = (base + start).assumingMemoryBound(to: CChar.self)
        let end = start + strnlen(text, room)
        guard end - start >= 2, strings[end - 2] == UInt8(ascii: "T"),
            strings[end - 1] == UInt8(ascii: "u")
        else { return nil }
        return strings[start..<end]
    }
}
