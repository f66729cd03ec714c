// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Sanitised memory")
struct SanitizedMemoryTests {
    private static let sign: UInt64 = 0x0def_aced_0def_aced

    private func words(_ bytes: [UInt8]) throws -> [UInt64] {
        var cursor = ByteCursor(ByteSlice(bytes))
        return try (0..<bytes.count / 8).map { _ in try cursor.read(UInt64.self) }
    }

    @Test(
        "A word stays if it is a small integer or an address in a known range",
        arguments: [
            (0, true), (1, true), (4096, true), (4097, false), (UInt64.max, true),
            (UInt64(bitPattern: -4096), true), (UInt64(bitPattern: -4097), false),
            (0xfff, true), (0x40_0000, true), (0x40_0fff, true), (0x40_1000, false),
            (0x3f_ffff, false), (0x7000_0000, true), (0x6f00_6c6c_6568, false), (1 << 63, false),
            (0x0012_0000_0040_0010, true), (0x0012_0000_7000_0010, false),
        ] as [(UInt64, Bool)])
    func words(word: UInt64, stays: Bool) {
        let known = KnownRanges(
            ranges: [0x7000_0000..<0x7000_1000], code: [0x40_0000..<0x40_1000],
            returnAddressMask: 0xffff_ffff_ffff)
        #expect(known.keep(word) == stays)
    }

    @Test("A range that is half the address space tells no address from text")
    func reserved() {
        let known = KnownRanges(ranges: [0x1000..<1 << 62], code: [0..<UInt64.max])
        #expect(!known.keep(0x6f6c_6c65_6820))
        #expect(known.ranges.isEmpty)
    }

    @Test("Text on stacks and in other memory is replaced, addresses and small integers stay")
    func process() throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) { $0.sanitizesStacks = true }
        let snapshot = try scrubbed.contents().snapshot
        let stack = try words(try #require(snapshot.threads.first?.stack).bytes.array)
        #expect(
            stack == [
                PrivateProcess.returnAddress, PrivateProcess.stack + 0x20, Self.sign, Self.sign,
                // The last letter of the text, in a word of its own, is a small integer.
                UInt64(UInt8(ascii: "k")), 4096, UInt64(bitPattern: -4096),
                PrivateProcess.heap + 8, Self.sign,
            ])
        for text in [
            "hunter22-on", "-on-stack", "the worker", "hunter22-in-heap", "/home/alice/key",
        ] {
            #expect(scrubbed.sourceContains(text))
            #expect(!scrubbed.contains(text), "\(text)")
        }
        // Code is what every copy of the program has.
        #expect(scrubbed.contains("machine-code-bytes"))
        // 3 on the stack, 3 on the other, 4 in the heap.
        #expect(scrubbed.summary.replacedWordCount == 10)
        #expect(scrubbed.summary.removedMemoryByteCount == 0)
    }

    @Test("Vectors go from the registers, the rest of them stays")
    func registers() throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) { $0.sanitizesStacks = true }
        #expect(scrubbed.sourceContains("vector-of-letters"))
        #expect(!scrubbed.contains("vector-of-letters"))
        for thread in try scrubbed.contents().snapshot.threads {
            guard case .x86_64(let registers) = thread.registers else {
                Issue.record("no registers of x86_64")
                continue
            }
            #expect(registers.floatingPoint == nil)
            #expect(registers.rip == PrivateProcess.code + 0x100)
            #expect(registers.rbp == PrivateProcess.stack + 0x20)
        }
        #expect(scrubbed.summary.clearedRegisterSetCount == 2)
    }

    @Test("So they do on aarch64")
    func aarch64() throws {
        let source = try fixture("greeter-aarch64")
        let before = try MinidumpReader.read(ByteSlice(source)).snapshot
        let scrubbed = try Scrubbed(source) { $0.sanitizesStacks = true }
        let after = try scrubbed.contents().snapshot
        guard case .aarch64(var expected) = before.threads.first?.registers,
            case .aarch64(let registers) = after.threads.first?.registers
        else {
            Issue.record("no registers of aarch64")
            return
        }
        #expect(expected.vectors != nil)
        (expected.vectors, expected.fpcr, expected.fpsr) = (nil, 0, 0)
        #expect(registers == expected)
        #expect(after.modules == before.modules)
        #expect(scrubbed.summary.replacedWordCount > 50)
    }

    @Test("Words of 32-bit processors have 4 bytes, and vectors go there as well")
    func x86() throws {
        var file = ScrubbingSample(processor: 0)
        var stack = ByteBuilder()
        for word: UInt32 in [0x40_1234, 7, 0xffff_fff0, 0x6c6c_6568, 0x2000] { stack.append(word) }
        let place = file.place(stack.bytes)
        var context = [UInt8](repeating: 0, count: 716)
        context.replaceSubrange(0..<4, with: [0x3f, 0, 1, 0])
        context.replaceSubrange(300..<305, with: Array("hello".utf8))
        context.replaceSubrange(30..<35, with: Array("howdy".utf8))
        context.replaceSubrange(164..<168, with: [9, 8, 7, 6])
        let registers = file.place(context)
        file.add(3, words: [1, 5, 0, 0, 0, 0, 0, 0x2000, 0, 20, place, 716, registers])
        let name = file.utf8("")
        file.add(
            4, words: [1, 0x40_0000, 0, 0x2000, 0, 0, name] + [UInt32](repeating: 0, count: 21))
        let scrubbed = try Scrubbed(file.bytes) { $0.sanitizesStacks = true }
        let thread = try #require(try scrubbed.contents().snapshot.threads.first)
        let bytes = try #require(thread.stack).bytes
        var cursor = ByteCursor(bytes)
        let result = try (0..<5).map { _ in try cursor.read(UInt32.self) }
        #expect(result == [0x40_1234, 7, 0xffff_fff0, 0x0def_aced, 0x2000])
        #expect(thread.registers?.named.first { $0.name == "ebx" }?.value == 0x0607_0809)
        #expect(!scrubbed.contains("hello"))
        #expect(!scrubbed.contains("howdy"))
    }

    @Test("Memory of a processor nobody knows is removed, since its words are not known")
    func unknownProcessor() throws {
        var file = ScrubbingSample(processor: 0x7777)
        let place = file.place(Array("who knows what it means".utf8))
        file.add(3, words: [1, 5, 0, 0, 0, 0, 0, 0x2000, 0, 23, place, 8, place])
        let scrubbed = try Scrubbed(file.bytes) { $0.sanitizesStacks = true }
        #expect(!scrubbed.contains("who knows"))
        #expect(try scrubbed.contents().snapshot.threads.count == 1)
    }

    @Test("Bytes before and behind whole words become 0", arguments: [0, 1, 3, 7])
    func odd(offset: UInt64) throws {
        var snapshot = PrivateProcess.snapshot
        let text = "0123456789abcdefghijklmnopqrstuvwxyz"
        snapshot.memory = [
            MemoryRegion(address: PrivateProcess.heap + offset, bytes: ByteSlice(Array(text.utf8)))
        ]
        let scrubbed = try Scrubbed(snapshot) { $0.sanitizesStacks = true }
        let region = try #require(try scrubbed.contents().snapshot.memory.first)
        let head = Int((8 - offset) % 8)
        let count = (text.utf8.count - head) / 8
        var expected = ByteBuilder()
        expected.appendZeros(head)
        for _ in 0..<count { expected.append(Self.sign) }
        expected.appendZeros(text.utf8.count - expected.count)
        #expect(region.bytes.array == expected.bytes)
    }
}
