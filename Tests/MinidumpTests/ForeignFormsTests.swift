// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot
import Testing

@testable import Minidump

/// Forms we never write, put together by hand.
@Suite("What other writers may do")
struct ForeignFormsTests {
    /// A minidump of these streams, behind an AMD64 SystemInfo; offsets inside a stream are made
    /// from where it will lie.
    private func minidump(_ streams: [(type: UInt32, bytes: (Int) -> [UInt8])]) -> ByteSlice {
        var systemInfo = [UInt8](repeating: 0, count: 56)
        systemInfo[0] = 9
        let all = [(type: UInt32(7), bytes: { (_: Int) in systemInfo })] + streams
        var offset = 32 + 12 * all.count
        var directory = ByteBuilder()
        var contents = ByteBuilder()
        for stream in all {
            let bytes = stream.bytes(offset)
            for word in [stream.type, UInt32(bytes.count), UInt32(offset)] {
                directory.append(word)
            }
            contents.append(bytes)
            offset += bytes.count
        }
        var file = ByteBuilder()
        for word in [0x504d_444d, 0xa793, UInt32(all.count), 32, 0, 0, 0, 0] { file.append(word) }
        file.append(directory.bytes)
        file.append(contents.bytes)
        return ByteSlice(file.bytes)
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

    @Test("RSDS gives the first 16 bytes of the build id")
    func programDatabase() {
        let record =
            hex("52534453 04030201 0605 0807 090a0b0c0d0e0f10 00000000") + Array("a.out\0".utf8)
        #expect(CodeView.buildID(ByteSlice(record)) == (1...16).map { UInt8($0) })
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
        let bytes = MinidumpTests.minidump(of: snapshot)
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
