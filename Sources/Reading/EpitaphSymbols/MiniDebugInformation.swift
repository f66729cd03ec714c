// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphValues

/// The symbols that Fedora and others leave in stripped programs: a small ELF file, compressed with
/// xz, in `.gnu_debugdata`. GDB manual, "Debugging information in a special section".
enum MiniDebugInformation {
    /// More than any distribution's, which have a few mebibytes: a mebibyte of xz can expand to 7
    /// GiB.
    private static let mostBytes = 48 << 20
    /// The dictionary has 64 MiB with `xz -9`, xz(1).
    private static let mostWorkingBytes: UInt64 = 72 << 20

    /// Nil if the image has none or it cannot be decompressed.
    static func image(in image: ELFImage) -> ELFImage? {
        guard let section = image.section(named: ".gnu_debugdata") else { return nil }
        let compressed = image.contents(of: section)
        guard !compressed.isEmpty, compressed.count <= mostBytes,
            let bytes = inflated(compressed)
        else { return nil }
        return try? ELFImage(bytes)
    }

    private static func inflated(_ compressed: ByteSlice) -> ByteSlice? {
        // Most are small, and of the memory given to a decoder only the pages it writes to are
        // used.
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
        guard result == LZMA_OK, written > 0, let kept = HeldShare(written) else { return nil }
        return ByteSlice(
            owner: InflatedBytes(UnsafeRawBufferPointer(rebasing: memory[..<written]), kept))
    }
}

// Sendable: the memory is written once, before the object can be seen elsewhere.
private final class InflatedBytes: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let share: HeldShare

    init(_ source: UnsafeRawBufferPointer, _ share: HeldShare) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        memory.copyMemory(from: source)
        bytes = UnsafeRawBufferPointer(memory)
        self.share = share
    }

    deinit {
        bytes.deallocate()
    }
}
