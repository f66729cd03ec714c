// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Every part of a stack that contains a frame is in the dump; what is not is reported as damage.
@Suite struct StackTests {
    private static let mark = "outermost frame"

    /// Whether the outermost frame and a buffer of zeros below it are in one stack.
    private static func isWhole(_ stack: MemoryRegion?) -> Bool {
        guard let bytes = stack?.bytes.array,
            let place = Data(bytes).range(of: Data(mark.utf8))?.lowerBound
        else { return false }
        return place > 3000
    }

    @Test(
        "A zeroed buffer in a frame cuts no caller off, in a crash and in a live dump",
        arguments: ["zeroed-worker", "zeroed-live"])
    func zeroedBuffer(_ way: String) throws {
        let snapshot = try Dummy(way).snapshot()
        let thread = try #require(snapshot.threads.first { $0.name == "zeroed" })
        #expect(Self.isWhole(thread.stack))
        if thread.completeness == .complete {
            #expect(thread.stack?.addressRange.upperBound == thread.threadDataAddress)
        }
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "Nor on the main thread, wherever its stack ends", arguments: ["", "1", "12", "123"])
    func zeroedBufferOfMainThread(_ padding: String) throws {
        // The kernel aligns it to 16 bytes behind the environment.
        let padding = String(repeating: padding, count: 16)
        let run = try Dummy("zeroed-main", environment: ["PADDING": padding])
        let snapshot = try run.snapshot()
        let main = try #require(
            snapshot.threads.first { $0.id == UInt64(run.result.processID) })
        #expect(main.id != snapshot.crashingThread?.id)
        #expect(Self.isWhole(main.stack))
    }

    @Test("Of 400 threads with zeroed buffers every stack is whole, and memory has its budget")
    func manyZeroedBuffers() throws {
        let snapshot = try Dummy("zeroed-workers").snapshot()
        let workers = snapshot.threads.filter { $0.name == "zeroed" }
        #expect(workers.count == 400)
        #expect(workers.allSatisfy { Self.isWhole($0.stack) })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Zeros that are left out cost no budget of stacks")
    func zerosAreFree() throws {
        // With their zeros 400 stacks would take 1.8 MiB.
        let snapshot = try Dummy("zeroed-workers", ["stacks=1050000"]).snapshot()
        let workers = snapshot.threads.filter { $0.name == "zeroed" }
        #expect(workers.count { Self.isWhole($0.stack) } == 400)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("A budget that is used up says of which threads stacks are missing")
    func budgetOfStacks() throws {
        let snapshot = try Dummy("zeroed-workers", ["stacks=100000"]).snapshot()
        let workers = snapshot.threads.filter { $0.name == "zeroed" }
        let whole = workers.filter { Self.isWhole($0.stack) }
        #expect(!whole.isEmpty && whole.count < 400)
        let missing = Set(workers.map(\.id)).subtracting(whole.map(\.id))
        let told = snapshot.damage.map(\.sentence)
        // The list of damage has 256 places, the last of which says that there are more.
        #expect(told.count == min(missing.count, 256))
        #expect(told.dropLast().allSatisfy { $0.contains("its size budget was used up") })
    }

    @Test(
        "A stack that is longer than its limit says how much was left out",
        arguments: [("beside-deep", "deep", 300 << 10), ("deep", nil, 100 << 10)]
            as [(String, String?, Int)])
    func overLimit(_ way: String, _ name: String?, _ least: Int) throws {
        let snapshot = try Dummy(way).snapshot()
        let thread = try #require(
            name == nil ? snapshot.crashingThread : snapshot.threads.first { $0.name == name })
        let damage = try #require(snapshot.damage.first)
        #expect(snapshot.damage.count == 1)
        let words = damage.sentence.split(separator: " ")
        #expect(damage.subject == "stack of thread \(thread.id)")
        #expect(damage.reason.hasPrefix("it was longer than its limit, "))
        let leftOut = try #require(words.compactMap { Int($0) }.last)
        #expect(leftOut >= least)
        // The innermost part, what was left out, and the outermost part are the whole.
        let stack = try #require(thread.stack).addressRange
        let outermost = stack.upperBound + UInt64(leftOut)
        #expect(
            snapshot.memory.contains {
                $0.addressRange.lowerBound == outermost && $0.bytes.count == 32 << 10
            })
    }
}
