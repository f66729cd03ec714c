// SPDX-License-Identifier: Apache-2.0

import Bytes
import CDeflate
import CElfutils
import ELFImage
import Glibc

/// An ELF file of nothing but debug sections, made in memory for libelf: elf(5).
///
/// libdw never gets to see a file. What it reads are copies of our own, which nobody makes shorter
/// while it reads, inflated by libdeflate, which takes a third of the time that libelf takes, and
/// counted before they are made.
final class LibelfMemory {
    let elf: OpaquePointer
    private let memory: UnsafeMutableRawBufferPointer
    private let share: HeldShare
    /// Sections by name, where they are and how long.
    private let places: [String: Range<Int>]

    /// Why a file's debug information is not read, as a clause.
    struct Refusal: Error {
        let reason: String
    }

    /// - Throws: where the sections are more than may be held in memory, or libelf is not there.
    init(_ sections: [DebugSection], machine: UInt16) throws(Refusal) {
        guard elf_version(UInt32(EV_CURRENT)) != EV_NONE else {
            throw Refusal(reason: "libelf is not there")
        }
        let layout = SectionLayout(sections)
        // libelf inflates what is left to it in memory of its own.
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
        else { throw Refusal(reason: SystemErrorText.last) }
        let memory = UnsafeMutableRawBufferPointer(start: start, count: layout.sizeBytes)
        layout.write(to: memory, machine: machine)
        guard
            let elf = elf_memory(
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
        elf_end(elf)
        munmap(memory.baseAddress, memory.count)
    }

    /// The bytes of a section, inflated; empty when there is none.
    func section(named name: String) -> ByteSlice {
        guard let place = places[name] else { return .empty }
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[place])
        return ByteSlice(owner: SectionBytes(bytes, of: self))
    }
}

private enum SystemErrorText {
    static var last: String { String(cString: strerror(errno)) }
}

// Sendable: nobody changes a section that has been handed out.
private final class SectionBytes: ByteOwner, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: LibelfMemory

    init(_ bytes: UnsafeRawBufferPointer, of memory: LibelfMemory) {
        self.bytes = bytes
        self.memory = memory
    }
}
