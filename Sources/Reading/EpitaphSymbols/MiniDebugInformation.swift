// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding
import EpitaphValues

/// Symbols that Fedora and others leave in stripped programs: an xz-compressed ELF file in
/// `.gnu_debugdata`. GDB manual, "Debugging information in a special section".
enum MiniDebugInformation {
    /// Distributions have a few mebibytes; a mebibyte of xz can expand to 7 GiB.
    private static let mostBytes = 48 << 20
    /// `xz -9` has a dictionary of 64 MiB, xz(1).
    private static let mostWorkingBytes: UInt64 = 72 << 20

    /// Nil if the image has none, or decompression fails.
    static func image(in image: ELFImage) -> ELFImage? {
        guard let section = image.section(named: ".gnu_debugdata") else { return nil }
        let compressed = image.contents(of: section)
        guard !compressed.isEmpty, compressed.count <= mostBytes,
            let bytes = inflated(compressed)
        else { return nil }
        return try? ELFImage(bytes)
    }

    private static func inflated(_ compressed: ByteSlice) -> ByteSlice? {
        // Most are small, and only pages that the decoder writes take memory.
        guard let share = HeldShare(Int(mostWorkingBytes)) else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: mostBytes, alignment: 4096)
        defer { memory.deallocate() }
        var written = 0
        let result = compressed.withUnsafeBytes { input in
            var limit = mostWorkingBytes
            var position = 0
            return epitaph_lzma_stream_buffer_decode(
                &limit, 0, nil, input.bindMemory(to: UInt8.self).baseAddress, &position,
                input.count, memory.bindMemory(to: UInt8.self).baseAddress, &written, memory.count)
        }
        withExtendedLifetime(share) {}
        guard result == LZMA_OK, written > 0 else { return nil }
        let inflated = InflatedBytes(count: written) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<written]))
            return true
        }
        return inflated.map { ByteSlice(owner: $0) }
    }
}
