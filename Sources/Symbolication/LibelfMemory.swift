// SPDX-License-Identifier: Apache-2.0

import Bytes
import CElfutils
import ELFImage

/// An image's bytes as libelf needs them.
///
/// When libelf inflates a section it writes the new size into the section header, in the memory it
/// was given (elf_compress.c of elfutils 0.188): an image with compressed sections is copied, all
/// others are used in place.
final class LibelfMemory {
    let elf: OpaquePointer
    private let image: ELFImage
    private let copy: UnsafeMutableRawBufferPointer?

    init?(_ image: ELFImage) {
        guard elf_version(UInt32(EV_CURRENT)) != EV_NONE, !image.bytes.isEmpty else { return nil }
        let mustCopy = image.sections.contains { $0.isCompressed || $0.name.hasPrefix(".zdebug") }
        let copy = mustCopy ? Self.copy(of: image.bytes) : nil
        let opened = image.bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            // The parameter is not const because of that header; without compressed sections it is
            // only read.
            let start = copy?.baseAddress ?? UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return elf_memory(start?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard let opened else {
            copy?.deallocate()
            return nil
        }
        elf = opened
        self.copy = copy
        self.image = image
    }

    deinit {
        elf_end(elf)
        copy?.deallocate()
    }

    private static func copy(of bytes: ByteSlice) -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 4096)
        bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
        return memory
    }
}
