// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// An x86_64 core file read into a snapshot: a crash whose true stack gdb knows. See core(5) and
/// sys/procfs.h.
package struct CoreFile {
    private let image: ELFImage
    private let notes: [(type: UInt32, contents: ByteSlice)]

    package init(_ path: String) throws {
        let image = try ELFImage(try FileBytes.contents(of: path))
        self.image = image
        notes = try image.segments.filter { $0.type == 4 }.flatMap { segment in
            try Self.readNotes(
                image.bytes.slice(from: Int(segment.fileOffset), length: Int(segment.fileSize)))
        }
    }

    private static func readNotes(
        _ bytes: ByteSlice
    ) throws -> [(type: UInt32, contents: ByteSlice)] {
        var cursor = ByteCursor(bytes)
        var notes: [(type: UInt32, contents: ByteSlice)] = []
        while cursor.remainingCount >= 12 {
            let nameSize = Int(try cursor.read(UInt32.self))
            let size = Int(try cursor.read(UInt32.self))
            let type = try cursor.read(UInt32.self)
            try cursor.skip((nameSize + 3) / 4 * 4)
            notes.append((type, try cursor.readSlice(count: size)))
            try cursor.skip(min((4 - size % 4) % 4, cursor.remainingCount))
        }
        return notes
    }

    /// The first thread is the one that crashed. Of the memory only the stacks are in the snapshot.
    ///
    /// - Parameter maps: the process's maps file, which a core file does not have.
    package func snapshot(maps: ByteSlice) throws -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        // NT_PRSTATUS
        snapshot.threads = try notes.filter { $0.type == 1 }.map { try thread($0.contents) }
        snapshot.modules = try modules()
        snapshot.files.maps = maps
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0)
        exception.threadID = snapshot.threads.first?.id
        exception.registers = snapshot.threads.first?.registers
        snapshot.exception = exception
        return snapshot
    }

    private func thread(_ status: ByteSlice) throws -> ThreadSnapshot {
        var cursor = ByteCursor(status, offset: 32)
        var thread = ThreadSnapshot(
            id: UInt64(try cursor.read(UInt32.self)), completeness: .complete)
        cursor = ByteCursor(status, offset: 112)
        let words = try (0..<21).map { _ in try cursor.read(UInt64.self) }
        var registers = X86Registers()
        (registers.r15, registers.r14, registers.r13, registers.r12) =
            (words[0], words[1], words[2], words[3])
        (registers.rbp, registers.rbx, registers.r11, registers.r10) =
            (words[4], words[5], words[6], words[7])
        (registers.r9, registers.r8, registers.rax, registers.rcx) =
            (words[8], words[9], words[10], words[11])
        (registers.rdx, registers.rsi, registers.rdi) = (words[12], words[13], words[14])
        (registers.rip, registers.rflags, registers.rsp) = (words[16], words[18], words[19])
        thread.registers = .x86_64(registers)
        thread.stack = memory(from: registers.rsp &- 128)
        return thread
    }

    /// The captured memory from `address` to the end of its mapping.
    package func memory(from address: UInt64) -> MemoryRegion? {
        for segment in image.loadableSegments where segment.address <= address {
            let distance = address - segment.address
            guard distance < segment.fileSize else { continue }
            return MemoryRegion(
                address: address,
                bytes: image.bytes.slice(
                    from: Int(segment.fileOffset + distance),
                    length: Int(segment.fileSize - distance)))
        }
        return nil
    }

    private func modules() throws -> [ModuleSnapshot] {
        var modules: [ModuleSnapshot] = []
        for (path, range) in try mappedFiles() {
            if let index = modules.firstIndex(where: { $0.path == path }) {
                let old = modules[index].addressRange
                modules[index].addressRange =
                    min(old.lowerBound, range.lowerBound)..<max(old.upperBound, range.upperBound)
            } else if let file = try? ELFImage(try FileBytes.contents(of: path)) {
                var module = ModuleSnapshot(path: path, addressRange: range, kind: .sharedObject)
                module.buildID = file.buildID
                modules.append(module)
            }
        }
        if let vdso = try vdso() { modules.append(vdso) }
        return modules
    }

    /// NT_FILE: count, page size, then start, end and offset of each, then their paths.
    private func mappedFiles() throws -> [(path: String, range: Range<UInt64>)] {
        guard let note = notes.first(where: { $0.type == 0x4649_4c45 }) else { return [] }
        var cursor = ByteCursor(note.contents)
        let count = Int(try cursor.read(UInt64.self))
        try cursor.skip(8)
        let ranges = try (0..<count).map { _ -> Range<UInt64> in
            let start = try cursor.read(UInt64.self)
            let end = try cursor.read(UInt64.self)
            try cursor.skip(8)
            return start..<end
        }
        let paths = cursor.readRest().text.split(separator: "\0").map(String.init)
        return zip(paths, ranges).map { (path: $0, range: $1) }
    }

    /// AT_SYSINFO_EHDR of NT_AUXV says where the vdso is.
    private func vdso() throws -> ModuleSnapshot? {
        guard let note = notes.first(where: { $0.type == 6 }) else { return nil }
        var cursor = ByteCursor(note.contents)
        while cursor.remainingCount >= 16 {
            let type = try cursor.read(UInt64.self)
            let value = try cursor.read(UInt64.self)
            guard type == 33, let region = memory(from: value) else { continue }
            var module = ModuleSnapshot(
                path: "linux-vdso.so.1", addressRange: region.addressRange, kind: .vdso)
            module.image = region.bytes
            module.buildID = (try? ELFImage(region.bytes))?.buildID ?? []
            return module
        }
        return nil
    }
}
