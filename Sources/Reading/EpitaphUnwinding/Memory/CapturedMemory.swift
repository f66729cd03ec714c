// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The crashed process's memory from the dump, and from ELF files for constant pages not in it.
final class CapturedMemory {
    private let captured: CapturedRegions
    private let modules: LoadedModules
    private var recent: MemoryRegion?

    init(_ snapshot: ProcessSnapshot, modules: LoadedModules) {
        self.modules = modules
        captured = CapturedRegions(snapshot)
    }

    func word(at address: UInt64) -> UInt64? {
        fileWord(at: address) ?? stackWord(at: address)
    }

    /// Like `word`, but only captured memory: stacks are never in files.
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

    /// Up to `count` bytes. The dump precedes the file, because code may have been patched.
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

    /// True in the rest of a page that a file's segment does not fill: the kernel maps whole pages,
    /// elf(5), and no compiler put code there.
    func isBehindFile(_ address: UInt64) -> Bool {
        guard captured.region(at: address) == nil, let module = modules.module(at: address),
            let image = module.image
        else { return false }
        let place = module.fileAddress(address)
        return image.segments.contains(where: \.isLoadable)
            && !image.segments.contains { $0.isLoadable && $0.distance(to: place) != nil }
    }

    func end(ofRegionAt address: UInt64) -> UInt64? {
        captured.region(at: address)?.addressRange.upperBound
    }

    func regions(in range: Range<UInt64>) -> [Range<UInt64>] {
        OrderedRanges.merged(
            captured.regions.lazy.map(\.addressRange).filter { $0.overlaps(range) }
                .map { $0.clamped(to: range) })
    }

    private func fileWord(at address: UInt64) -> UInt64? {
        guard let module = modules.module(at: address), let image = module.image else { return nil }
        let bytes = image.constantBytes(at: module.fileAddress(address), count: 8)
        if let word = bytes.load(at: 0, as: UInt64.self) { return word }
        guard !bytes.isEmpty else { return nil }
        // A word cut by its segment's end; bytes behind the end are never read.
        return bytes.withUnsafeBytes { $0.littleEndian }
    }

    private static func word(in region: MemoryRegion, at address: UInt64) -> UInt64? {
        region.bytes.load(at: Int(clamping: address - region.address))
    }
}

package struct CapturedRegions {
    /// In address order, none empty.
    let regions: [MemoryRegion]

    package init(_ snapshot: ProcessSnapshot) {
        regions = (snapshot.threads.compactMap(\.stack) + snapshot.memory)
            .filter { !$0.bytes.isEmpty }.sorted { $0.address < $1.address }
    }

    package func region(at address: UInt64) -> MemoryRegion? {
        let low = regions.prefixCount { $0.address <= address }
        // A small region may lie inside a larger one that begins earlier.
        return regions[max(0, low - 8)..<low].last { $0.addressRange.contains(address) }
    }
}
