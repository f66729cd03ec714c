// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// A module whose file was deleted or replaced while the process ran: the handler saves headers and
/// unwind tables of these. docs/decisions/modules.md
struct CapturedImage {
    let loadBias: UInt64
    let callFrames: CallFrameTable

    /// Nil if headers or search table were not captured or are invalid.
    init?(of module: ModuleSnapshot, in snapshot: ProcessSnapshot) {
        let range = module.addressRange
        let regions = snapshot.memory.filter { $0.addressRange.overlaps(range) }
        guard let head = Self.bytes(at: range.lowerBound, in: regions),
            let image = try? ELFImage(head), image.machine == snapshot.architecture.rawValue,
            let unwindHeader = image.unwindHeader
        else { return nil }
        let bias = image.loadBias(in: module)
        guard let header = Self.bytes(at: unwindHeader.address &+ bias, in: regions),
            let callFrames = CallFrameTable(
                header: header.slice(from: 0, length: Int(clamping: unwindHeader.memorySize)),
                at: unwindHeader.address,
                memory: regions.map { ($0.address &- bias, $0.bytes) })
        else { return nil }
        loadBias = bias
        self.callFrames = callFrames
    }

    private static func bytes(at address: UInt64, in regions: [MemoryRegion]) -> ByteSlice? {
        regions.filter { $0.addressRange.contains(address) }
            .max { $0.addressRange.upperBound < $1.addressRange.upperBound }
            .map { $0.bytes.slice(from: Int(clamping: address - $0.address)) }
    }
}
