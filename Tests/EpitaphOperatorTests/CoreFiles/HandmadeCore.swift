// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A core put together by hand from elf(5) and core(5), without the product's own layouts.
struct HandmadeCore {
    struct Segment {
        var type: UInt32 = 1
        var flags: UInt32 = 6
        var address: UInt64
        var bytes: [UInt8]
        /// Of the process; nil for as many as there are bytes.
        var memorySize: UInt64?
        /// What the header says the file has; nil for the truth.
        var claimedSize: UInt64?
    }

    var machine: UInt16 = 62
    var notes: [(name: String, type: UInt32, contents: [UInt8])] = []
    var segments: [Segment] = []
    /// Whether the number of segments stands in a section header, at the end of the file.
    var countsInSection = false

    var bytes: [UInt8] {
        var noteBytes = ByteBuilder()
        for note in notes {
            noteBytes.append(UInt32(note.name.utf8.count + 1))
            noteBytes.append(UInt32(note.contents.count))
            noteBytes.append(note.type)
            noteBytes.append(note.name)
            noteBytes.appendZeros(4 - note.name.utf8.count % 4)
            noteBytes.append(note.contents)
            noteBytes.appendZeros((4 - note.contents.count % 4) % 4)
        }
        let all = [Segment(type: 4, flags: 4, address: 0, bytes: noteBytes.bytes)] + segments
        let dataStart = 64 + 56 * all.count
        let dataSize = all.reduce(0) { $0 + $1.bytes.count }
        var file = ByteBuilder()
        file.append([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        for half in [4, machine] { file.append(half) }
        file.append(UInt32(1))
        for word in [0, 64, countsInSection ? UInt64(dataStart + dataSize) : 0] {
            file.append(word)
        }
        file.append(UInt32(0))
        let count: UInt16 = countsInSection ? 0xffff : UInt16(all.count)
        for half in [64, 56, count, 64, countsInSection ? 1 : 0, 0] as [UInt16] {
            file.append(half)
        }
        var offset = UInt64(dataStart)
        for segment in all {
            file.append(segment.type)
            file.append(segment.flags)
            let size = UInt64(segment.bytes.count)
            for word in [
                offset, segment.address, 0, segment.claimedSize ?? size,
                segment.memorySize ?? size, 4096,
            ] { file.append(word) }
            offset += size
        }
        for segment in all { file.append(segment.bytes) }
        if countsInSection {
            file.appendZeros(44)
            file.append(UInt32(all.count))
            file.appendZeros(16)
        }
        return file.bytes
    }

    /// `struct elf_prstatus` of x86_64.
    static func status(
        of thread: UInt32, signal: UInt16 = 11, instruction: UInt64, stack: UInt64
    ) -> [UInt8] {
        var words = [UInt64](repeating: 0, count: 27)
        (words[16], words[19], words[21]) = (instruction, stack, 0x7000_0000_1000)
        var status = ByteBuilder()
        status.appendZeros(12)
        status.append(signal)
        status.appendZeros(18)
        status.append(thread)
        status.appendZeros(76)
        for word in words { status.append(word) }
        status.appendZeros(8)
        return status.bytes
    }

    /// `struct elf_prpsinfo`.
    static func process(_ id: UInt32, name: String) -> [UInt8] {
        var info = ByteBuilder()
        info.appendZeros(16)
        for number in [1000, 1000, id, 7, 0, 0] as [UInt32] { info.append(number) }
        info.append(name)
        info.appendZeros(16 - name.utf8.count)
        info.append("secret arguments")
        info.appendZeros(64)
        return info.bytes
    }

    /// `siginfo_t` of a fault.
    static func fault(signal: Int32 = 11, code: Int32 = 1, address: UInt64) -> [UInt8] {
        var info = ByteBuilder()
        for number in [signal, 0, code, 0] { info.append(number) }
        info.append(address)
        info.appendZeros(104)
        return info.bytes
    }

    static func words(_ words: [UInt64]) -> [UInt8] {
        var bytes = ByteBuilder()
        for word in words { bytes.append(word) }
        return bytes.bytes
    }

    static let stackStart: UInt64 = 0x7ffc_0000_0000
    static let stackPointer = stackStart + 0x400

    /// Two threads, the stack of the first with the environment at its end.
    static func twoThreads() -> HandmadeCore {
        var core = HandmadeCore()
        core.notes = [
            (
                "CORE", 1,
                status(of: 41, instruction: 0x40_1000, stack: stackPointer)
            ),
            ("CORE", 3, process(40, name: "daemon")),
            ("CORE", 0x5349_4749, fault(address: 0x10)),
            ("CORE", 6, words([6, 4096, 25, stackStart + 0x800, 0, 0])),
            ("CORE", 1, status(of: 40, instruction: 0x40_1100, stack: 0x7000_0000_0800)),
        ]
        var stack = [UInt8](repeating: 0x11, count: 0x800)
        stack += [UInt8](repeating: 0xee, count: 16)
        stack += Array("./daemon\0TOKEN=correct-horse-battery\0PATH=/usr/bin:/bin\0".utf8)
        stack += [UInt8](repeating: 0, count: 0x1000 - stack.count)
        core.segments = [
            Segment(flags: 5, address: 0x40_1000, bytes: [], memorySize: 0x1000),
            Segment(address: 0x7000_0000_0000, bytes: [UInt8](repeating: 0x22, count: 0x1000)),
            Segment(address: stackStart, bytes: stack),
        ]
        return core
    }
}
