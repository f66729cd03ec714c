// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The memory of a crashed process: what the dump has, and for pages that could not be written what
/// the ELF files have.
final class CapturedMemory {
    private let captured: CapturedRegions
    private let modules: LoadedModules
    /// The region that had the last word that was read, nearly always the same stack.
    private var recent: MemoryRegion?

    init(_ snapshot: ProcessSnapshot, modules: LoadedModules) {
        self.modules = modules
        captured = CapturedRegions(snapshot)
    }

    /// The little-endian word at `address`, from the ELF file if it has it.
    func word(at address: UInt64) -> UInt64? {
        fileWord(at: address) ?? stackWord(at: address)
    }

    /// Like `word`, but only from captured memory: a stack is never in a file.
    func stackWord(at address: UInt64) -> UInt64? {
        if let recent, address >= recent.address,
            let word = Self.word(in: recent, at: address)
        {
            return word
        }
        guard let region = captured.region(at: address) else { return nil }
        recent = region
        return Self.word(in: region, at: address)
    }

    /// Up to `count` bytes; fewer, or none, if they are not known. The dump takes precedence over a
    /// file, because code may have been patched.
    func bytes(at address: UInt64, count: Int) -> ByteSlice {
        if let region = captured.region(at: address) {
            let found = region.bytes.slice(
                from: Int(clamping: address - region.address), length: count)
            if found.count == count { return found }
        }
        guard let module = modules.module(at: address), let image = module.image else {
            return .empty
        }
        return image.constantBytes(at: module.fileAddress(address), count: count)
    }

    /// The end of the captured memory that begins at or below `address`; nil when there is none.
    func end(ofRegionAt address: UInt64) -> UInt64? {
        captured.region(at: address)?.addressRange.upperBound
    }

    /// What was captured inside `range`, in address order; adjacent parts are joined.
    func regions(in range: Range<UInt64>) -> [Range<UInt64>] {
        OrderedRanges.merged(
            captured.regions.lazy.map(\.addressRange).filter { $0.overlaps(range) }
                .map { $0.clamped(to: range) })
    }

    private func fileWord(at address: UInt64) -> UInt64? {
        guard let module = modules.module(at: address), let image = module.image else { return nil }
        let bytes = image.constantBytes(at: module.fileAddress(address), count: 8)
        guard !bytes.isEmpty else { return nil }
        // The last word of a segment may be cut by its end; bytes behind the end are never read.
        return bytes.withUnsafeBytes { $0.littleEndian }
    }

    private static func word(in region: MemoryRegion, at address: UInt64) -> UInt64? {
        region.bytes.load(at: Int(clamping: address - region.address))
    }
}

/// The memory that a dump has, by address.
package struct CapturedRegions {
    /// In the order of their addresses, none of them empty.
    let regions: [MemoryRegion]

    package init(_ snapshot: ProcessSnapshot) {
        regions = (snapshot.threads.compactMap(\.stack) + snapshot.memory)
            .filter { !$0.bytes.isEmpty }.sorted { $0.address < $1.address }
    }

    /// The region that contains `address`; nil if it was not captured.
    package func region(at address: UInt64) -> MemoryRegion? {
        let low = regions.prefixCount { $0.address <= address }
        // A small region may lie inside a larger one that begins earlier.
        return regions[max(0, low - 8)..<low].last { $0.addressRange.contains(address) }
    }
}
