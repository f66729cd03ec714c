// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite("Core files that are read")
struct CoreReadingTests {
    private func read(_ core: HandmadeCore) throws -> ProcessSnapshot {
        try read(core.bytes)
    }

    private func read(_ bytes: [UInt8]) throws -> ProcessSnapshot {
        let source = CoreBytes(ByteSlice(bytes))
        return try CoreReader(source).snapshot(source)
    }

    @Test("The signal, the process and the threads are those of the notes")
    func notes() throws {
        let snapshot = try read(.twoThreads())
        let exception = try #require(snapshot.exception)
        #expect(exception.signal == 11 && exception.code == 1 && exception.address == 0x10)
        #expect(exception.threadID == 41 && exception.isCodeKnown)
        #expect(snapshot.process.id == 40 && snapshot.process.userID == 1000)
        #expect(snapshot.process.parentID == 7)
        #expect(snapshot.threads.map(\.id) == [41, 40])
        #expect(snapshot.threads[0].registers?.instructionPointer == 0x40_1000)
        #expect(snapshot.threads[1].registers?.stackPointer == 0x7000_0000_0800)
        #expect(snapshot.threads[0].threadDataAddress == 0x7000_0000_1000)
        #expect(snapshot.capture?.threadsFound == 2)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("A stack goes from below its pointer to where arguments and environment begin")
    func stacks() throws {
        let snapshot = try read(.twoThreads())
        let start = HandmadeCore.stackStart
        #expect(
            snapshot.threads[0].stack?.addressRange
                == HandmadeCore.stackPointer - 128..<start + 0x800)
        #expect(snapshot.threads[1].stack?.addressRange.upperBound == 0x7000_0000_1000)
        #expect(snapshot.memory.allSatisfy { $0.addressRange.upperBound <= start + 0x800 })
        #expect(snapshot.commandLine == nil)
    }

    @Test("A stack is kept from its first page in use when its pointer is far below it")
    func stackAbove() throws {
        var core = HandmadeCore.twoThreads()
        let below: UInt64 = 9 << 20
        core.notes[0].contents = HandmadeCore.status(
            of: 41, instruction: 0x40_1000, stack: HandmadeCore.stackStart - below)
        core.notes[4].contents = HandmadeCore.status(
            of: 40, instruction: 0x40_1100, stack: 0x7000_0000_0000 - below)
        let start = HandmadeCore.stackStart
        core.segments[2].bytes.insert(contentsOf: [UInt8](repeating: 0, count: 0x1000), at: 0)
        core.notes[3].contents = HandmadeCore.words([6, 4096, 25, start + 0x1800, 0, 0])
        let snapshot = try read(core)
        #expect(
            snapshot.threads[0].stack?.addressRange == start + 0x1000..<start + 0x1800)
        #expect(
            snapshot.threads[1].stack?.addressRange == 0x7000_0000_0000..<0x7000_0000_1000)
    }

    @Test(
        "A stack that overflowed is kept when its handler runs on an alternate one",
        arguments: [0x10, 0xf000, 0x400] as [Int64])
    func interruptedStack(below: Int64) throws {
        var core = HandmadeCore.twoThreads()
        let alternate: UInt64 = 0x7100_0000_0000
        let start = HandmadeCore.stackStart
        core.notes[0].contents = HandmadeCore.status(
            of: 41, instruction: 0x40_1000, stack: alternate + 0x800)
        let pointer = below == 0x400 ? start + 0x400 : start - UInt64(below)
        // ucontext_t: flags, link, ss_sp, ss_flags, ss_size, then rsp as the 16th register.
        var words: [UInt64] = [6, 0, alternate, 0, 0x2000] + [UInt64](repeating: 0, count: 30)
        words[5 + 15] = pointer
        let filled = [UInt8](repeating: 0, count: 0xa00) + HandmadeCore.words(words)
        core.segments.append(
            .init(
                address: alternate,
                bytes: filled + [UInt8](repeating: 0, count: 0x2000 - filled.count)))
        let snapshot = try read(core)
        #expect(snapshot.threads[0].stack?.addressRange.lowerBound == alternate + 0x800 - 128)
        let first = below == 0x400 ? pointer - 128 : start
        #expect(snapshot.memory.contains { $0.addressRange == first..<start + 0x800 })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Copies of the environment become asterisks, and addresses do not")
    func blanking() throws {
        var core = HandmadeCore.twoThreads()
        let copy = Array("correct-horse-battery".utf8)
        core.segments[1].bytes.replaceSubrange(0x900..<0x900 + copy.count, with: copy)
        let path = Array("/usr/bin:/bin".utf8)
        core.segments[1].bytes.replaceSubrange(0xa00..<0xa00 + path.count, with: path)
        let snapshot = try read(core)
        let text = try #require(snapshot.threads[1].stack).bytes.text
        #expect(!text.contains("correct-"))
        #expect(text.contains("*********************"))
        #expect(text.contains("/usr/bin:/bin"))
        #expect(snapshot.capture?.blankedByteCount == UInt64(copy.count))
    }

    @Test("The number of segments may stand in a section header")
    func manySegments() throws {
        var core = HandmadeCore.twoThreads()
        core.countsInSection = true
        #expect(try read(core).threads.count == 2)
    }

    @Test("A core that was cut off says how much is missing, wherever that is")
    func cut() throws {
        let whole = HandmadeCore.twoThreads().bytes
        for count in stride(from: 0, to: whole.count, by: 16) {
            do {
                let snapshot = try read(Array(whole[..<count]))
                #expect(
                    snapshot.damage.contains { $0.subject == "core file" }, "\(count) bytes")
                #expect(snapshot.isCut)
            } catch let error as CoreFileError {
                #expect(count < 64 + 4 * 56, "\(count) bytes: \(error)")
            }
        }
    }

    @Test("Where the notes end too early, the threads are not counted")
    func cutNotes() throws {
        var core = HandmadeCore.twoThreads()
        core.notes[4].contents.removeLast(200)
        let snapshot = try read(core)
        #expect(snapshot.threads.count == 1)
        #expect(snapshot.damage.contains { $0.subject == "threads" })
    }

    @Test("What is no core, or none that can be read, is refused with the reason")
    func refused() throws {
        let good = HandmadeCore.twoThreads().bytes
        var other = good
        other[16] = 2
        var small = good
        small[4] = 1
        var arm = good
        arm[18] = 40
        var counted = good
        counted[56] = 0xff
        counted[57] = 0xff
        for (bytes, words) in [
            (other, "not a core"), (small, "not of 64 bits"), (arm, "processor number 40"),
            (counted, "the number of program headers is missing"),
            (Array(good[..<70]), "ends inside its program headers at offset 0x46"),
        ] {
            let error = #expect(throws: CoreFileError.self) { try read(bytes) }
            #expect(error?.description.contains(words) == true, "\(words)")
        }
    }

    @Test("A core of a process that lives on has no signal")
    func live() throws {
        var core = HandmadeCore.twoThreads()
        core.notes.remove(at: 2)
        core.notes[0].contents = HandmadeCore.status(
            of: 41, signal: 0, instruction: 0x40_1000, stack: HandmadeCore.stackPointer)
        let snapshot = try read(core)
        #expect(snapshot.exception == nil)
        #expect(snapshot.request?.kind == .live)
    }

    @Test("Without the kernel's words on the signal its code is not known")
    func withoutInformation() throws {
        var core = HandmadeCore.twoThreads()
        core.notes.remove(at: 2)
        let exception = try #require(try read(core).exception)
        #expect(exception.signal == 11 && !exception.isCodeKnown)
    }

    @Test("Bytes changed anywhere in the headers and the notes never end the reader")
    func hostile() throws {
        let good = HandmadeCore.twoThreads().bytes
        let end = 64 + 4 * 56 + 1_400
        for offset in Sweep.sample(0..<min(end, good.count), oneOf: 3) {
            for value in [0x00, 0x7f, 0xff] as [UInt8] {
                var bytes = good
                bytes[offset] = value
                _ = try? read(bytes)
            }
        }
    }
}
