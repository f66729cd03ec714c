// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// `struct elf_prstatus` of sys/procfs.h and the notes behind it.
struct CoreThread {
    /// In the process's pid namespace.
    let id: UInt64
    /// The signal that made the kernel write the core; the same for all threads.
    let signal: Int32
    var registers: RegisterSnapshot
    var threadDataAddress: UInt64?
    /// Processor time in seconds; for the first thread, that of the process.
    let userTimeSeconds: Double
    let systemTimeSeconds: Double

    static let registersOffset = 112

    init?(_ status: ByteSlice, _ architecture: Architecture) {
        let words = status.slice(from: Self.registersOffset)
        guard let signal = status.load(at: 12, as: Int16.self),
            let id = status.load(at: 32, as: UInt32.self),
            let registers = CoreRegisters.decode(words, architecture)
        else { return nil }
        self.id = UInt64(id)
        self.signal = Int32(signal)
        self.registers = registers
        threadDataAddress = CoreRegisters.threadData(words, architecture)
        userTimeSeconds = Self.seconds(status, at: 48)
        systemTimeSeconds = Self.seconds(status, at: 64)
    }

    /// `struct timeval`: seconds and microseconds.
    private static func seconds(_ status: ByteSlice, at offset: Int) -> Double {
        let whole = status.load(at: offset, as: Int64.self) ?? 0
        let parts = status.load(at: offset + 8, as: Int64.self) ?? 0
        return Double(whole) + Double(parts) / 1e6
    }
}

/// `struct elf_prpsinfo` of sys/procfs.h.
struct CoreProcess {
    let nice: Int32
    let userID: UInt32
    let id: Int32
    let parentID: Int32
    let name: String

    static let size = 136

    init?(_ info: ByteSlice) {
        guard let nice = info.load(at: 3, as: Int8.self),
            let userID = info.load(at: 16, as: UInt32.self),
            let id = info.load(at: 24, as: Int32.self),
            let parentID = info.load(at: 28, as: Int32.self), info.count >= 56
        else { return nil }
        self.nice = Int32(nice)
        self.userID = userID
        self.id = id
        self.parentID = parentID
        let text = info.slice(from: 40, length: 16).text
        name = String(text.prefix { $0 != "\0" })
    }
}

/// One entry of `NT_FILE`: a mapping of a file.
struct MappedFile: Equatable {
    let range: Range<UInt64>
    let fileOffset: UInt64
    let path: String

    /// Nil if inconsistent. The note has a count and the page size; start, end and offset (in
    /// pages) of each mapping; then the paths: fill_files_note, fs/binfmt_elf.c.
    static func list(_ note: ByteSlice) -> [MappedFile]? {
        guard let count = note.load(at: 0, as: UInt64.self),
            let pageSize = note.load(at: 8, as: UInt64.self),
            count <= UInt64(note.count / 24)
        else { return nil }
        var names = note.slice(from: 16 + Int(count) * 24).withUnsafeBytes { bytes in
            bytes.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }[...]
        var files: [MappedFile] = []
        for index in 0..<Int(count) {
            guard let start = note.load(at: 16 + index * 24, as: UInt64.self),
                let end = note.load(at: 24 + index * 24, as: UInt64.self),
                let page = note.load(at: 32 + index * 24, as: UInt64.self),
                let name = names.popFirst()
            else { return nil }
            let offset = page.multipliedReportingOverflow(by: pageSize)
            guard start <= end, !offset.overflow else { return nil }
            files.append(
                MappedFile(range: start..<end, fileOffset: offset.partialValue, path: name))
        }
        return files
    }
}
