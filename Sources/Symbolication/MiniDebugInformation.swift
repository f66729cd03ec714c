// SPDX-License-Identifier: Apache-2.0

import Bytes
import CElfutils
import ELFImage
import Glibc

/// The symbols that Fedora and others leave in stripped programs: a small ELF file, compressed with
/// xz, in `.gnu_debugdata`. GDB manual, "Debugging information in a special section".
enum MiniDebugInformation {
    /// More than any distribution's; compressed bytes can stand for thousands of times as many.
    private static let sizeLimit = 16 << 20
    /// MFD_CLOEXEC, memfd_create(2)
    private static let closeOnExec: UInt32 = 1

    /// Nil when the image has none, or it cannot be inflated.
    static func image(in image: ELFImage) -> ELFImage? {
        guard let section = image.section(named: ".gnu_debugdata") else { return nil }
        let compressed = image.contents(of: section)
        guard !compressed.isEmpty, compressed.count <= sizeLimit else { return nil }
        // libdw inflates files only, not memory.
        let file = memfd_create("gnu_debugdata", closeOnExec)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let written = compressed.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written == compressed.count, elf_version(UInt32(EV_CURRENT)) != EV_NONE,
            let elf = dwelf_elf_begin(file)
        else { return nil }
        defer { elf_end(elf) }
        var size = 0
        guard let bytes = elf_rawfile(elf, &size), size > 0 else { return nil }
        return try? ELFImage(ByteSlice(Array(UnsafeRawBufferPointer(start: bytes, count: size))))
    }
}
