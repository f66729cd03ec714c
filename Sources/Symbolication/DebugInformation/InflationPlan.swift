// SPDX-License-Identifier: Apache-2.0

import Bytes
import CDeflate
import ELFImage

/// Where the compressed debug sections of an image go when it is laid out anew with their contents
/// inflated: behind its own bytes, one after the other.
///
/// libelf inflates as well, with zlib; libdeflate takes about a third of the time, which is most of
/// what opening a C library's debug file takes. Whatever makes no sense here stays as it is, for
/// libelf to judge. Elf64_Chdr and Elf64_Shdr: elf(5).
struct InflationPlan {
    private struct Item {
        let section: ELFSection
        /// In the image's bytes, behind the compression header.
        let payload: Range<Int>
        /// In the new layout.
        let target: Range<Int>
    }

    private let image: ELFImage
    private var items: [Item] = []
    /// Of the new layout.
    private(set) var sizeBytes: Int

    private static let compressionHeaderSize = 24
    /// ELFCOMPRESS_ZLIB
    private static let zlib: UInt32 = 1
    /// Deflate cannot make less than a byte of this many, zlib's technical details say.
    private static let largestRatio = 1032
    private static let largestSizeBytes = 1 << 31

    /// - Parameter isNeeded: tells of a section whether its contents are wanted.
    init(_ image: ELFImage, isNeeded: (ELFSection) -> Bool) {
        self.image = image
        sizeBytes = image.bytes.count
        for section in image.sections where section.isCompressed && isNeeded(section) {
            if let item = item(for: section) {
                items.append(item)
                sizeBytes = item.target.upperBound
            }
        }
    }

    private func item(for section: ELFSection) -> Item? {
        let contents = image.contents(of: section)
        var cursor = ByteCursor(contents)
        guard let kind = try? cursor.read(UInt32.self), kind == Self.zlib,
            (try? cursor.skip(4)) != nil, let size = try? cursor.read(UInt64.self),
            let inflated = Int(exactly: size), let offset = Int(exactly: section.fileOffset),
            contents.count > Self.compressionHeaderSize
        else { return nil }
        let payload = offset + Self.compressionHeaderSize..<offset + contents.count
        let start = (sizeBytes + 15) / 16 * 16
        guard inflated > 0, inflated / Self.largestRatio <= payload.count,
            inflated <= Self.largestSizeBytes, start <= Self.largestSizeBytes - inflated
        else { return nil }
        return Item(section: section, payload: payload, target: start..<start + inflated)
    }

    /// Lays the image out in `memory`, which has `sizeBytes` bytes.
    func carryOut(in memory: UnsafeMutableRawBufferPointer) {
        image.bytes.withUnsafeBytes { bytes in
            copyRest(of: bytes, to: memory)
            guard let inflater = libdeflate_alloc_decompressor() else {
                memory.copyMemory(from: bytes)
                return
            }
            defer { libdeflate_free_decompressor(inflater) }
            for item in items {
                let (source, target) = (bytes[item.payload], memory[item.target])
                let result = libdeflate_zlib_decompress(
                    inflater, UnsafeRawBufferPointer(rebasing: source).baseAddress, source.count,
                    UnsafeMutableRawBufferPointer(rebasing: target).baseAddress, target.count, nil)
                if result == LIBDEFLATE_SUCCESS {
                    announce(item, in: memory)
                } else {
                    copy(item.payload, of: bytes, to: memory)
                }
            }
        }
    }

    /// All bytes but those that are inflated: memory that nobody touches costs nothing.
    private func copyRest(
        of bytes: UnsafeRawBufferPointer, to memory: UnsafeMutableRawBufferPointer
    ) {
        var offset = 0
        for payload in items.map(\.payload).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if offset < payload.lowerBound {
                copy(offset..<payload.lowerBound, of: bytes, to: memory)
            }
            offset = max(offset, payload.upperBound)
        }
        copy(offset..<bytes.count, of: bytes, to: memory)
    }

    private func copy(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer,
        to memory: UnsafeMutableRawBufferPointer
    ) {
        UnsafeMutableRawBufferPointer(rebasing: memory[range])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// The section header says where the contents are now: sh_flags, sh_offset and sh_size.
    private func announce(_ item: Item, in memory: UnsafeMutableRawBufferPointer) {
        let header = item.section.headerOffset
        memory.storeBytes(
            of: item.section.flags & ~0x800, toByteOffset: header + 8, as: UInt64.self)
        memory.storeBytes(
            of: UInt64(item.target.lowerBound), toByteOffset: header + 24, as: UInt64.self)
        memory.storeBytes(
            of: UInt64(item.target.count), toByteOffset: header + 32, as: UInt64.self)
    }
}
