// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

/// Golden bytes are written out here from docs/dump-format.md, not made with the builder.
@Suite("Reading a dump's tree")
struct DumpTreeTests {
    private func tree(_ bytes: [UInt8]) -> DumpTree {
        DumpTree(reading: ByteSlice(bytes))
    }

    /// version u8 1, as a property
    private let version: [UInt8] = [0x05, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]

    @Test("An array with one empty map is read and written as Crashpad does")
    func arrayWithMap() {
        let bytes: [UInt8] = [0x06, 0x03, 0x70, 0x17, 0x01, 0x02, 0x04, 0x07]
        let tree = tree(bytes)
        #expect(tree.isComplete)
        #expect(tree.damage.isEmpty)
        #expect(tree.root.array(.threads).map(\.keys) == [[]])

        var builder = DumpBuilder()
        builder.array(.threads) { $0.map { _ in } }
        #expect(builder.finished == bytes)
    }

    @Test("An empty map with a key is read and written as Crashpad does")
    func mapWithKey() {
        let bytes: [UInt8] = [0x06, 0x01, 0xe8, 0x03, 0x02, 0x07]
        let key = DumpKey(rawValue: 1000)
        let tree = tree(bytes)
        #expect(tree.isComplete)
        #expect(tree.root.map(key)?.keys == [])
        #expect(tree.root.property(key) == nil)
        #expect(Array(tree.root.array(key)).isEmpty)

        var builder = DumpBuilder()
        builder.map(key) { _ in }
        #expect(builder.finished == bytes)
    }

    @Test("A property is command, key, 64-bit length and payload")
    func property() {
        let bytes: [UInt8] = [0x06, 0x05, 1, 0, 7, 0, 0, 0, 0, 0, 0, 0] + Array("version".utf8)
        let property = tree(bytes + [0x07]).root.property(.version)
        #expect(property?.payload.text == "version")
        #expect(property?.offset == 1)
        #expect(property?.isCut == false)

        var builder = DumpBuilder()
        builder.add(.version, "version")
        #expect(builder.bytes == bytes)
    }

    @Test("Crashpad's fuzz seed gives an incomplete tree without an intact property")
    func fuzzSeed() {
        let tree = tree([
            0x06, 0x05, 0x00, 0xff, 0xff, 0xfd, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfd, 0x01,
            0x07, 0x16,
        ])
        #expect(!tree.isComplete)
        #expect(tree.root.property(DumpKey(rawValue: 0xff00))?.isCut == true)
    }

    @Test(
        "What makes no sense ends the reading; what came before it counts",
        arguments: [
            ([0x00], "offset 0xd: the dump ends here, before its end mark"),
            ([0x00, 1], "offset 0xd: byte 0x0 is no command; nothing after this place was read"),
            ([0x08], "offset 0xd: byte 0x8 is no command; nothing after this place was read"),
            ([0x06], "offset 0xd: a second root map starts; nothing after this place was read"),
            ([0x02], "offset 0xd: a map ends that is not open; nothing after this place was read"),
            (
                [0x04],
                "offset 0xd: an array ends that is not open; nothing after this place was read"
            ),
            (
                [0x01, 1, 0, 0x04],
                "offset 0x10: an array ends that is not open; nothing after this place was read"
            ),
            (
                [0x03, 1, 0, 0x02],
                "offset 0x10: a map ends that is not open; nothing after this place was read"
            ),
            (
                [0x03, 1, 0, 0x03, 2, 0],
                "offset 0x10: an array stands directly in an array; nothing after this place was read"
            ),
            (
                [0x03, 1, 0, 0x05, 2, 0],
                "offset 0x10: a property stands directly in an array; nothing after this place was read"
            ),
            (
                [0x01, 1, 0, 0x07],
                "offset 0x10: the end mark stands inside a map or array; nothing after this place was read"
            ),
            ([0x05, 0, 0], "offset 0xd: a key is 0; nothing after this place was read"),
            ([0x01, 0, 0], "offset 0xd: a key is 0; nothing after this place was read"),
            ([], "offset 0xd: the dump ends here, before its end mark"),
            ([0x05], "offset 0xe: the dump ends here, before its end mark"),
            ([0x01, 9], "offset 0xf: the dump ends here, before its end mark"),
            ([0x05, 9, 0, 1, 0, 0], "offset 0x13: the dump ends here, before its end mark"),
            (
                [0x05, 9, 0, 3, 0, 0, 0, 0, 0, 0, 0, 7],
                "offset 0xd: key 9 is cut after 1 of its 3 bytes"
            ),
        ] as [([UInt8], String)])
    func malformed(rest: [UInt8], sentence: String) {
        let tree = tree([0x06] + version + rest)
        #expect(!tree.isComplete)
        #expect(tree.damage.map(\.sentence) == [sentence])
        #expect(tree.root.property(.version)?.payload.array == [1])
    }

    @Test("Bytes after the end mark are damage, and the dump is complete all the same")
    func trailingBytes() {
        let tree = tree([0x06] + version + [0x07, 0, 1])
        #expect(tree.isComplete)
        #expect(tree.damage.map(\.sentence) == ["offset 0xe: 2 bytes follow the end of the dump"])
    }

    @Test("Zeros after the end mark are the rest of a head, and no damage")
    func trailingZeros() {
        let tree = tree([0x06] + version + [0x07, 0, 0])
        #expect(tree.isComplete)
        #expect(tree.damage.isEmpty)
    }

    @Test("No bytes, or others than a dump's, give an empty tree")
    func noRoot() {
        #expect(tree([]).root.keys.isEmpty)
        #expect(tree([0x05, 1]).root.keys.isEmpty)
        #expect(!tree([]).isComplete)
    }

    @Test("Repeated arrays are joined, repeated maps merged, and of a property the last counts")
    func joining() {
        var dump = DumpBuilder()
        dump.array(.threads) { $0.map { $0.add(.threadID, 1) } }
        dump.map(.processInfo) {
            $0.add(.pid, 1)
            $0.add(.parentPID, 2)
            $0.array(.environment) { $0.pair("A", "1") }
        }
        dump.add(.version, 3)
        dump.array(.threads) {
            $0.map { $0.add(.threadID, 2) }
            $0.map { $0.add(.threadID, 3) }
        }
        dump.array(.threads) { _ in }
        dump.map(.processInfo) {
            $0.add(.pid, 9)
            $0.array(.environment) { $0.pair("B", "2") }
        }
        dump.add(.version, 1)
        let root = tree(dump.finished).root

        #expect(
            root.array(.threads).map { $0.property(.threadID)?.payload.byte(at: 0) } == [1, 2, 3])
        #expect(root.property(.version)?.payload.array == [1])
        let process = root.map(.processInfo)
        #expect(process?.property(.pid)?.payload.byte(at: 0) == 9)
        #expect(process?.property(.parentPID)?.payload.byte(at: 0) == 2)
        #expect(
            process?.array(.environment).map { $0.property(.annotationName)?.payload.text }
                == ["A", "B"])
    }

    @Test(
        "A property keeps the bytes that are there when its length says more",
        arguments: [
            3, 1 << 32, UInt64.max, 1 << 63,
        ] as [UInt64])
    func overlongProperty(length: UInt64) {
        var dump = DumpBuilder()
        dump.start(.stackRegionData, payloadCount: length)
        let property = tree(dump.bytes + [0xaa, 0xbb]).root.property(.stackRegionData)
        #expect(property?.payload.array == [0xaa, 0xbb])
        #expect(property?.isCut == true)
    }

    @Test("Ten levels are read, an eleventh is damage")
    func depth() {
        let inner: [UInt8] = [0x01, 1, 0]
        func nested(_ count: Int) -> [UInt8] {
            [0x06] + Array(repeating: inner, count: count).flatMap { $0 }
                + Array(repeating: 0x02, count: count) + [0x07]
        }
        #expect(tree(nested(9)).damage.isEmpty)
        #expect(tree(nested(9)).isComplete)
        #expect(
            tree(nested(10)).damage.map(\.sentence) == [
                "offset 0x1c: maps and arrays are more than 10 deep; nothing after this place was read"
            ])
        #expect(!tree(nested(100_000)).isComplete)
    }

    @Test("Reading stops at a million entries")
    func nodeLimit() {
        let maps = DumpTree.nodeLimit + 1000
        let bytes =
            [0x06, 0x03, 0x70, 0x17]
            + [UInt8](unsafeUninitializedCapacity: 2 * maps) { buffer, count in
                for index in 0..<2 * maps { buffer[index] = index % 2 == 0 ? 0x01 : 0x02 }
                count = 2 * maps
            } + [0x04, 0x07]
        let tree = tree(bytes)
        #expect(!tree.isComplete)
        #expect(
            tree.damage.map(\.reason) == [
                "the dump has more than 1000000 entries; nothing after this place was read"
            ])
        var count = 0
        for _ in tree.root.array(.threads).prefix(70_000) { count += 1 }
        #expect(count == 70_000)
    }
}
