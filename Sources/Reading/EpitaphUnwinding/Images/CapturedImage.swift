// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// A module whose file was deleted or replaced while the process ran: the handler saves headers and
/// unwind tables of these. docs/decisions/modules.md
struct CapturedImage {
    let loadBias: UInt64
    let callFrames: CallFrameTable

    /// Nil if headers or tables were not captured or are invalid.
    init?(of module: ModuleSnapshot, in snapshot: ProcessSnapshot) {
        let range = module.addressRange
        let regions = snapshot.memory.filter { $0.addressRange.overlaps(range) }
        guard let head = Self.bytes(at: range.lowerBound, in: regions),
            let image = try? ELFImage(head), image.machine == snapshot.architecture.rawValue
        else { return nil }
        loadBias = image.loadBias(in: module)
        guard let callFrames = Self.callFrames(of: image, loadBias, regions) else { return nil }
        self.callFrames = callFrames
    }

    private static func callFrames(
        of image: ELFImage, _ bias: UInt64, _ regions: [MemoryRegion]
    ) -> CallFrameTable? {
        let memory = regions.map { (address: $0.address &- bias, bytes: $0.bytes) }
        guard let unwindHeader = image.unwindHeader else {
            // Linked without one, as gcc's -static does. Of the memory that was saved, only the
            // section proves itself.
            return memory.lazy.compactMap {
                CallFrameTable(proving: $0.bytes, at: $0.address, of: image)
            }.first
        }
        return bytes(at: unwindHeader.address &+ bias, in: regions).flatMap { header in
            CallFrameTable(
                header: header.slice(from: 0, length: Int(clamping: unwindHeader.memorySize)),
                at: unwindHeader.address, memory: memory)
        }
    }

    private static func bytes(at address: UInt64, in regions: [MemoryRegion]) -> ByteSlice? {
        regions.filter { $0.addressRange.contains(address) }
            .max { $0.addressRange.upperBound < $1.addressRange.upperBound }
            .map { $0.bytes.slice(from: Int(clamping: address - $0.address)) }
    }
}
