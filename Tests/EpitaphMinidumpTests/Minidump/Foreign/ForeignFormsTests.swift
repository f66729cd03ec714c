// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

/// Forms we never write, put together by hand.
@Suite("What other writers may do")
struct ForeignFormsTests {
    private func minidump(_ streams: [(type: UInt32, bytes: (Int) -> [UInt8])]) -> ByteSlice {
        HandMadeMinidump(streams: streams).bytes
    }

    private func thread(stack: UInt64) -> [UInt8] {
        var list = ByteBuilder()
        for word: UInt32 in [1, 77, 0, 0, 0, 0, 0] { list.append(word) }
        list.append(stack)
        list.appendZeros(16)
        return list.bytes
    }

    @Test("Memory64List: ranges follow each other, and a thread's stack is found in it")
    func memory64() throws {
        let file = minidump([
            (3, { _ in self.thread(stack: 0x7000) }),
            (
                9,
                { offset in
                    var list = ByteBuilder()
                    for word in [2, UInt64(offset) + 48, 0x1000, 4, 0x7000, 3] { list.append(word) }
                    list.append("codestk")
                    return list.bytes
                }
            ),
        ])
        let snapshot = try MinidumpReader.read(file).snapshot
        #expect(snapshot.memory.map(\.address) == [0x1000])
        #expect(snapshot.memory.first?.bytes.text == "code")
        #expect(snapshot.threads.first?.stack?.bytes.text == "stk")
    }

    @Test("Memory64List with a count that cannot be is read as far as it goes")
    func memory64Count() throws {
        let file = minidump([
            (3, { _ in self.thread(stack: 0) }),
            (
                9,
                { _ in
                    var list = ByteBuilder()
                    for word: UInt64 in [.max, .max - 8, 0x1000, .max] { list.append(word) }
                    return list.bytes
                }
            ),
        ])
        let contents = try MinidumpReader.read(file)
        #expect(contents.snapshot.memory.isEmpty)
        #expect(contents.readingDamage.contains { $0.subject == "memory list" })
    }

    @Test("A list whose records are aligned to eight bytes is read")
    func padding() throws {
        let list = thread(stack: 0)
        let file = minidump([(3, { _ in Array(list[..<4]) + [0, 0, 0, 0] + Array(list[4...]) })])
        #expect(try MinidumpReader.read(file).snapshot.threads.map(\.id) == [77])
    }

    @Test("DsoDebug without padding is read too")
    func packedLoaderList() throws {
        let file = minidump([
            (3, { _ in self.thread(stack: 0) }),
            (
                0x4767_000a,
                { _ in
                    var record = ByteBuilder()
                    for word: UInt32 in [1, 0, 0] { record.append(word) }
                    for word: UInt64 in [0x7f00_0000_1000, 0x7f00_0000_0000, 0x4000] {
                        record.append(word)
                    }
                    return record.bytes + [1, 2, 3]
                }
            ),
        ])
        let linker = try #require(try MinidumpReader.read(file).snapshot.dynamicLinker)
        #expect(linker.breakpointAddress == 0x7f00_0000_1000)
        #expect(linker.dynamicSectionAddress == 0x4000)
        #expect(linker.dynamicSection.array == [1, 2, 3])
    }

    @Test("Memory that touches and overlaps stacks is one range, and comes apart again")
    func overlappingMemory() throws {
        var snapshot = Samples.x86_64
        let stack = try #require(snapshot.threads[1].stack)
        let before = MemoryRegion(address: stack.address - 16, bytes: Samples.bytes(48, seed: 40))
        let after = MemoryRegion(
            address: stack.addressRange.upperBound, bytes: Samples.bytes(8, seed: 41))
        snapshot.memory = [before, after]
        let bytes = EpitaphMinidumpTests.minidump(of: snapshot)
        let raw = RawMinidump(bytes: bytes)
        #expect(raw.memory.first?.address == stack.address - 16)
        #expect(raw.memory.first?.size == 16 + 400 + 8)
        #expect(raw.u32(raw.offset(3) + 4 + 36) == (raw.memory.first?.offset ?? 0) + 16)
        let read = try MinidumpReader.read(ByteSlice(bytes)).snapshot
        #expect(read.crashingThread?.stack == stack)
        #expect(read.memory.map(\.address) == [before.address, after.address])
        #expect(read.memory.first?.bytes == before.bytes.slice(from: 0, length: 16))
    }
}
