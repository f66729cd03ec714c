// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphValues
import Testing

@Suite("Memory that is removed from a minidump")
struct MemoryRuleTests {
    private static let crashingStack = "hunter22-on-stack"
    private static let workerStack = "the worker's diary"
    private static let heap = "hunter22-in-heap"
    private static let code = "machine-code-bytes"

    @Test(
        "is gone from the file, and what stays is where it was",
        arguments: [
            (ScrubbingRules.Memory.all, [crashingStack, workerStack, heap, code]),
            (.stacks, [crashingStack, workerStack, code]), (.crashingStack, [crashingStack, code]),
            (.none, []),
        ])
    func rules(memory: ScrubbingRules.Memory, kept: [String]) throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) {
            $0.memory = memory
            $0.removedParts = [.limits]
        }
        for text in [Self.crashingStack, Self.workerStack, Self.heap, Self.code] {
            #expect(scrubbed.sourceContains(text))
            #expect(scrubbed.contains(text) == kept.contains(text), "\(text)")
        }
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        let threads = contents.snapshot.threads
        #expect(threads.map(\.id) == [77, 78])
        #expect(threads.allSatisfy { $0.registers != nil })
        #expect((threads[0].stack != nil) == kept.contains(Self.crashingStack))
        #expect((threads[1].stack != nil) == kept.contains(Self.workerStack))
        #expect(contents.snapshot.memory.count == kept.count { $0 == Self.heap || $0 == Self.code })
        #expect(scrubbed.summary.removedMemoryRegionCount == 4 - kept.count)
        #expect(scrubbed.summary.keptMemoryRegionCount == kept.count)
        let all = 72 + 32 + 32 + 18
        #expect(
            scrubbed.summary.keptMemoryByteCount + scrubbed.summary.removedMemoryByteCount == all)
        #expect(scrubbed.bytes.count == scrubbed.source.count)
    }

    @Test("A region with a stack in it is cut to the stack")
    func joined() throws {
        var snapshot = PrivateProcess.snapshot
        let end = PrivateProcess.stack + UInt64(PrivateProcess.stackBytes.count)
        snapshot.memory.append(
            MemoryRegion(address: end, bytes: ByteSlice(Array("right-above-the-stack".utf8))))
        snapshot.memory.append(
            MemoryRegion(
                address: PrivateProcess.stack - 16, bytes: ByteSlice(Array("right-below-it!!".utf8))
            ))
        let scrubbed = try Scrubbed(snapshot) { $0.memory = .crashingStack }
        #expect(scrubbed.contains(Self.crashingStack))
        #expect(!scrubbed.contains("right-above"))
        #expect(!scrubbed.contains("right-below"))
        let result = try scrubbed.contents()
        #expect(result.snapshot.threads.first?.stack?.bytes.array == PrivateProcess.stackBytes)
        #expect(result.snapshot.memory.map(\.bytes.text) == [Self.code])
        #expect(
            scrubbed.summary.sentence == "3 memory regions (101 bytes) are removed")
    }

    /// Three ranges of a full dump; the middle one is the stack of thread 5.
    private var full: [UInt8] {
        var file = ScrubbingSample()
        let pieces = ["before-the-stack", "the-stack-itself", "behind-the-stack"]
        let first = file.place(pieces.flatMap { Array($0.utf8) })
        var words: [UInt32] = [3, 0, first, 0]
        for index in 0..<3 { words += [UInt32(0x1000 * (index + 1)), 0, 16, 0] }
        file.add(9, words: words)
        file.add(3, words: [1, 5, 0, 0, 0, 0, 0, 0x2000, 0, 0, 0, 0, 0])
        file.add(6, words: [5, 0, 11] + [UInt32](repeating: 0, count: 39))
        return file.bytes
    }

    @Test("Of a full dump's list the last ranges are left out, and the first overwritten")
    func fullDump() throws {
        let scrubbed = try Scrubbed(full) { $0.memory = .crashingStack }
        #expect(scrubbed.contains("the-stack-itself"))
        #expect(!scrubbed.contains("before-the-stack"))
        #expect(!scrubbed.contains("behind-the-stack"))
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.memory.map(\.address) == [0x1000])
        let sign: [UInt8] = [0xed, 0xac, 0xef, 0x0d, 0xed, 0xac, 0xef, 0x0d]
        #expect(snapshot.memory.first?.bytes.array == sign + sign)
        #expect(snapshot.threads.first?.stack?.bytes.text == "the-stack-itself")
        #expect(scrubbed.summary.removedMemoryRegionCount == 2)
        let nothing = try Scrubbed(full) { $0.memory = .none }
        #expect(!nothing.contains("stack"))
        #expect(try nothing.contents().snapshot.memory.isEmpty)
    }

    @Test("A stack that the thread list alone has goes, too")
    func unlisted() throws {
        var file = ScrubbingSample()
        let stack = file.place(Array("on nobody's list".utf8))
        file.add(3, words: [1, 5, 0, 0, 0, 0, 0, 0x2000, 0, 16, stack, 0, 0])
        let kept = try Scrubbed(file.bytes) { $0.memory = .stacks }
        #expect(kept.contains("on nobody's list"))
        let removed = try Scrubbed(file.bytes) { $0.memory = .none }
        #expect(!removed.contains("on nobody's list"))
        #expect(try removed.contents().snapshot.threads.first?.stack == nil)
        #expect(removed.summary.removedMemoryByteCount == 16)
    }
}
