// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A core's notes, elf(5). Many threads have hundreds of megabytes, so memory holds a window.
struct NoteStream<Source: CoreSource> {
    struct Note {
        let name: String
        let type: UInt32
        let contents: ByteSlice
    }

    private let source: Source
    private let end: UInt64
    private var offset: UInt64
    private var window = ByteSlice.empty
    private var windowOffset: UInt64 = 0
    private(set) var problem: String?

    private static var windowSize: Int { 1 << 20 }
    /// A list of mapped files has at most 4 MiB by default: fs/binfmt_elf.c.
    private static var contentsLimit: Int { 16 << 20 }
    private static var nameLimit: UInt32 { 64 }

    init(_ segment: CoreSegment, of source: Source) {
        self.source = source
        offset = segment.fileOffset
        end = segment.fileEnd ?? .max
    }

    mutating func next() -> Note? {
        guard problem == nil, offset < end, end - offset >= 12 else { return nil }
        guard let head = read(12), let nameSize = head.load(at: 0, as: UInt32.self),
            let size = head.load(at: 4, as: UInt32.self),
            let type = head.load(at: 8, as: UInt32.self)
        else { return nil }
        guard nameSize <= Self.nameLimit, UInt64(size) <= end - offset else {
            return stop("a note at offset \((offset - 12).hex) makes no sense")
        }
        guard let name = read(Self.padded(Int(nameSize))) else { return nil }
        guard Int(size) <= Self.contentsLimit else {
            return stop(
                "a note of \(size) bytes at offset \(offset.hex) is longer than any"
            )
        }
        guard let contents = read(Int(size)) else { return nil }
        offset = min(end, offset + UInt64(Self.padded(Int(size)) - Int(size)))
        let text = name.slice(from: 0, length: Int(nameSize)).text
        return Note(name: String(text.prefix { $0 != "\0" }), type: type, contents: contents)
    }

    private static func padded(_ size: Int) -> Int { (size + 3) / 4 * 4 }

    private mutating func stop(_ reason: String) -> Note? {
        problem = reason
        return nil
    }

    private mutating func read(_ count: Int) -> ByteSlice? {
        if offset < windowOffset || offset + UInt64(count) > windowOffset + UInt64(window.count) {
            windowOffset = offset
            let wanted = min(UInt64(max(count, Self.windowSize)), end - offset)
            window = source.bytes(at: offset, count: Int(wanted))
        }
        let found = window.slice(from: Int(offset - windowOffset), length: count)
        guard found.count == count else {
            problem = "the file ends inside its notes at offset \(offset.hex)"
            return nil
        }
        offset += UInt64(count)
        return found
    }
}

/// Types of the notes that are read and written: elf.h, core(5).
enum NoteType {
    static let threadStatus: UInt32 = 1
    /// Floating-point registers: `user_fpregs_struct`, `user_fpsimd_state`.
    static let floatingPoint: UInt32 = 2
    /// `struct elf_prpsinfo`.
    static let processInfo: UInt32 = 3
    /// The auxiliary vector, getauxval(3).
    static let auxiliaryVector: UInt32 = 6
    /// x86: the XSAVE area.
    static let extendedState: UInt32 = 0x202
    /// aarch64: TPIDR_EL0.
    static let threadPointer: UInt32 = 0x401
    /// aarch64: the bits of a pointer that hold an authentication code.
    static let pointerMask: UInt32 = 0x406
    /// `siginfo_t` of the signal: "SIGI".
    static let signalInfo: UInt32 = 0x5349_4749
    /// Mapped files: "FILE".
    static let mappedFiles: UInt32 = 0x4649_4c45
}

/// Entries of the auxiliary vector, elf.h.
enum AuxiliaryType {
    static let programHeaders: UInt64 = 3
    static let pageSize: UInt64 = 6
    static let loaderBase: UInt64 = 7
    static let entry: UInt64 = 9
    static let platform: UInt64 = 15
    static let capabilities: UInt64 = 16
    static let random: UInt64 = 25
    static let capabilities2: UInt64 = 26
    static let fileName: UInt64 = 31
    static let vdso: UInt64 = 33
}
