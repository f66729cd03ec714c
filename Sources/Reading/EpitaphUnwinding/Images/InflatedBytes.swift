// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphValues

/// What was compressed in a file, within the memory limit for files.
// Sendable: the memory is written before the object is shared.
package final class InflatedBytes: ByteOwner, @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer
    private let share: HeldShare

    /// Nil if `fill` could not write all.
    package init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        guard let share = HeldShare(count) else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        (bytes, self.share) = (UnsafeRawBufferPointer(memory), share)
        guard fill(memory) else { return nil }
    }

    deinit {
        bytes.deallocate()
    }
}

extension InflatedBytes {
    /// Go's linker compresses `.debug_frame`, and programs of hundreds of mebibytes have less in it.
    private static let mostBytes: UInt64 = 32 << 20

    /// A section with SHF_COMPRESSED: Elf64_Chdr of elf(5), and ELFCOMPRESS_ZLIB, 1. Nil for others,
    /// or if it is broken.
    package static func section(_ compressed: ByteSlice) -> ByteSlice? {
        guard compressed.load(at: 0, as: UInt32.self) == 1,
            let size = compressed.load(at: 8, as: UInt64.self), 1...mostBytes ~= size,
            let inflater = epitaph_libdeflate_alloc_decompressor()
        else { return nil }
        defer { epitaph_libdeflate_free_decompressor(inflater) }
        let inflated = InflatedBytes(count: Int(size)) { target in
            compressed.slice(from: 24).withUnsafeBytes { source in
                epitaph_libdeflate_zlib_decompress(
                    inflater, source.baseAddress, source.count, target.baseAddress, target.count,
                    nil) == LIBDEFLATE_SUCCESS
            }
        }
        return inflated.map { ByteSlice(owner: $0) }
    }
}
