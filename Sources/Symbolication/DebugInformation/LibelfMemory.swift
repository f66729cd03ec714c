// SPDX-License-Identifier: Apache-2.0

import Bytes
import CElfutils
import ELFImage

/// An image's bytes as libelf needs them.
///
/// An image with compressed sections is laid out anew with their contents inflated; it must be
/// copied in any case, because libelf writes into the section header, in the memory it was given,
/// when it inflates one itself (elf_compress.c of elfutils 0.188). All others are used in place.
final class LibelfMemory {
    let elf: OpaquePointer
    /// Keeps the bytes alive that libelf points into.
    private let owner: ByteSlice
    private let copy: UnsafeMutableRawBufferPointer?

    init?(_ image: ELFImage) {
        guard elf_version(UInt32(EV_CURRENT)) != EV_NONE, !image.bytes.isEmpty else { return nil }
        let mustCopy = image.sections.contains { $0.isCompressed || $0.name.hasPrefix(".zdebug") }
        let copy = mustCopy ? Self.copy(of: image) : nil
        let opened = image.bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            // The parameter is not const because of that header; without compressed sections it is
            // only read.
            let start = copy?.baseAddress ?? UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return elf_memory(
                start?.assumingMemoryBound(to: CChar.self), copy?.count ?? bytes.count)
        }
        guard let opened else {
            copy?.deallocate()
            return nil
        }
        elf = opened
        self.copy = copy
        owner = image.bytes
    }

    deinit {
        elf_end(elf)
        copy?.deallocate()
    }

    private static func copy(of image: ELFImage) -> UnsafeMutableRawBufferPointer {
        let plan = InflationPlan(image) { !isUnused($0) }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: plan.sizeBytes, alignment: 4096)
        plan.carryOut(in: memory)
        hideUnusedSections(of: image, in: memory)
        return memory
    }

    /// libdw inflates all debug sections when it opens a file. Where variables are is a fifth of
    /// them, and no name or line needs it: compressed sections of that sort are said to have no
    /// bytes. elf(5), Elf64_Ehdr and Elf64_Shdr.
    private static func hideUnusedSections(
        of image: ELFImage, in memory: UnsafeMutableRawBufferPointer
    ) {
        for section in image.sections where section.isCompressed && isUnused(section) {
            // sh_type becomes SHT_NOBITS.
            memory.storeBytes(
                of: 8, toByteOffset: section.headerOffset + 4, as: UInt32.self)
        }
    }

    private static func isUnused(_ section: ELFSection) -> Bool {
        section.name == ".debug_loclists" || section.name == ".debug_loc"
    }

    /// The bytes of a section as libelf has them, inflated once libdw has opened the file; empty
    /// when there is none.
    func section(named name: String) -> ByteSlice {
        var namesIndex = 0
        guard elf_getshdrstrndx(elf, &namesIndex) == 0 else { return .empty }
        var section = elf_nextscn(elf, nil)
        while let current = section {
            var header = GElf_Shdr()
            if gelf_getshdr(current, &header) != nil,
                let text = elf_strptr(elf, namesIndex, Int(header.sh_name)),
                String(cString: text) == name, let data = elf_getdata(current, nil)
            {
                let bytes = UnsafeRawBufferPointer(
                    start: data.pointee.d_buf, count: data.pointee.d_size)
                return ByteSlice(owner: SectionBytes(bytes, of: self))
            }
            section = elf_nextscn(elf, current)
        }
        return .empty
    }
}

// Sendable: libelf changes no section that it has handed out.
private final class SectionBytes: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: LibelfMemory

    init(_ bytes: UnsafeRawBufferPointer, of memory: LibelfMemory) {
        self.bytes = bytes
        self.memory = memory
    }
}
