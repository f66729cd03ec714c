// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphValues
import Glibc

/// An ELF file of debug sections in memory, for libelf: elf(5). libdw never reads a file: copies
/// cannot shrink, libdeflate inflates three times as fast, and their size is known before.
package final class LibelfMemory {
    let elf: OpaquePointer
    private let memory: UnsafeMutableRawBufferPointer
    private let share: HeldShare
    private let places: [String: Range<Int>]

    /// The reason for not reading debug information, as a clause.
    package struct Refusal: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// - Throws: if the sections exceed the memory limit, or libelf is missing.
    package init(_ sections: [DebugSection], machine: UInt16) throws(Refusal) {
        guard epitaph_elf_version(UInt32(EV_CURRENT)) != EV_NONE else {
            throw Refusal(reason: "libelf is not there")
        }
        let layout = SectionLayout(sections)
        // Sections inflated by libelf take memory of their own.
        let wanted = layout.sizeBytes.addingReportingOverflow(layout.leftToLibelf)
        guard !wanted.overflow, let share = HeldShare(wanted.partialValue) else {
            throw Refusal(
                reason: "its debug information takes \(wanted.partialValue >> 20) MiB, and "
                    + HeldMemory.shortage)
        }
        guard
            let start = mmap(
                nil, layout.sizeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { throw Refusal(reason: String(cString: strerror(errno))) }
        // All of it is written, and a fault for each page takes longer than the copy: madvise(2).
        madvise(start, layout.sizeBytes, MADV_HUGEPAGE)
        madvise(start, layout.sizeBytes, MADV_POPULATE_WRITE)
        let memory = UnsafeMutableRawBufferPointer(start: start, count: layout.sizeBytes)
        layout.write(to: memory, machine: machine)
        guard
            let elf = epitaph_elf_memory(
                memory.baseAddress?.assumingMemoryBound(to: CChar.self), memory.count)
        else {
            munmap(start, layout.sizeBytes)
            throw Refusal(reason: "libelf refuses its debug information")
        }
        self.elf = elf
        self.memory = memory
        self.share = share
        places = layout.places
    }

    deinit {
        epitaph_elf_end(elf)
        munmap(memory.baseAddress, memory.count)
    }

    package func section(named name: String) -> ByteSlice {
        guard let place = places[name] else { return .empty }
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[place])
        return ByteSlice(owner: SectionBytes(bytes, of: self))
    }
}

// Sendable: a section does not change after it was handed out.
private final class SectionBytes: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: LibelfMemory

    init(_ bytes: UnsafeRawBufferPointer, of memory: LibelfMemory) {
        self.bytes = bytes
        self.memory = memory
    }
}
