// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// A crashed process's memory: the dump's, and constant parts of files that certainly were loaded.
package struct ReadableMemory {
    private let memory: CapturedMemory
    private let modules: LoadedModules
    private let calls: CallInstruction
    private let hasBlanks: Bool

    package init(_ snapshot: ProcessSnapshot, images: any ELFImageSource) {
        modules = LoadedModules(snapshot, images: images)
        memory = CapturedMemory(snapshot, modules: modules)
        calls = CallInstruction(architecture: snapshot.architecture, memory: memory)
        hasBlanks = (snapshot.capture?.blankedByteCount ?? 0) > 0
    }

    package init(_ snapshot: ProcessSnapshot) {
        self.init(snapshot, images: NoImages())
    }

    /// What was blanked in a constant is in its file, which knows nothing of the environment.
    package func bytes(at address: UInt64, atMost count: Int) -> [UInt8] {
        let known = knownBytes(at: address, atMost: count)
        guard hasBlanks, known.contains(Self.blank) else { return known }
        let constant = fileBytes(at: address, atMost: known.count)
        let isSame =
            constant.count == known.count
            && zip(known, constant).allSatisfy { $0 == $1 || $0 == Self.blank }
        return isSame ? constant : known
    }

    private static let blank = UInt8(ascii: "*")

    private func knownBytes(at address: UInt64, atMost count: Int) -> [UInt8] {
        let wanted = memory.bytes(at: address, count: count)
        if wanted.count == count { return wanted.array }
        var known: [UInt8] = []
        while known.count < count {
            let (next, overflow) = address.addingReportingOverflow(UInt64(known.count))
            guard !overflow, let byte = memory.bytes(at: next, count: 1).byte(at: 0) else { break }
            known.append(byte)
        }
        return known
    }

    package func fileBytes(at address: UInt64, atMost count: Int) -> [UInt8] {
        guard let module = modules.module(at: address), let image = module.image else { return [] }
        return image.constantBytes(at: module.fileAddress(address), count: count).array
    }

    /// Whether a file's section of machine code was loaded there; nil if no section is known to be.
    package func isCode(at address: UInt64) -> Bool? {
        guard let module = modules.module(at: address), let image = module.image else { return nil }
        let place = module.fileAddress(address)
        let isInstructions: UInt64 = 4  // SHF_EXECINSTR
        let isLoaded: UInt64 = 2  // SHF_ALLOC
        let section = image.sections.first {
            $0.flags & isLoaded != 0 && place >= $0.address && place - $0.address < $0.size
        }
        return section.map { $0.flags & isInstructions != 0 }
    }

    package func integer<Value: FixedWidthInteger>(
        at address: UInt64, as type: Value.Type = Value.self
    ) -> Value? {
        let bytes = memory.bytes(at: address, count: MemoryLayout<Value>.size)
        guard bytes.count == MemoryLayout<Value>.size else { return nil }
        return bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(as: Value.self)) }
    }

    /// The target in the call before a return address; nil if the instruction does not contain it.
    package func directCallTarget(returningTo address: UInt64) -> UInt64? {
        calls.directTarget(returningTo: address)
    }

    /// The function around `address`, by its file's unwind tables or symbols.
    package func functionRange(of address: UInt64) -> Range<UInt64>? {
        if let range = modules.functionRange(of: address) { return range }
        guard let module = modules.module(at: address), let image = module.image,
            let symbol = image.symbols.symbol(containing: module.fileAddress(address))
        else { return nil }
        return Range(at: symbol.address &+ module.loadBias, count: max(symbol.size, 1))
    }
}

private struct NoImages: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(problem: .notFound(path: module.path))
    }
}
