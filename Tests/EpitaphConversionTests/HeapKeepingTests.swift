// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

@testable import EpitaphConversion

@Suite("What is found out about sampled allocations when a dump becomes a report")
struct HeapKeepingTests {
    /// A real crash, whose stack is also that of the call that freed the block.
    private static let crash = Result {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "recursion"], in: directory)
        var snapshot = debugged.snapshot
        let registers = try #require(
            snapshot.exception?.registers ?? snapshot.crashingThread?.registers)
        let regions = snapshot.threads.compactMap(\.stack) + snapshot.memory
        var moment = HeapMoment()
        moment.threadID = 99
        moment.registers = registers
        moment.stack = regions.first { $0.addressRange.contains(registers.stackPointer) }
        let address = try #require(snapshot.exception?.address)
        var block = SampledBlock(address: address & ~0xf, size: 64)
        block.state = .freed
        block.freed = moment
        var heap = HeapSampling()
        heap.error = .fault
        heap.pool = block.address..<block.address + 4096
        heap.blocks = [block]
        snapshot.heap = heap
        return (directory, snapshot)
    }

    @Test("The calls' stacks are kept and named, and the error is told in words")
    func kept() throws {
        var (_, snapshot) = try Self.crash.get()
        StackKeeper().keep(in: &snapshot)
        let kept = try #require(snapshot.keptStacks)
        let place = HeapMoment.Place(block: 0, isFree: true)
        let stack = try #require(kept.stacks.first { $0.moment == place })
        #expect(stack.threadID == 99)
        #expect(kept.frames(of: stack) == kept.frames(of: kept.stacks[0]))
        let told = try #require(snapshot.heap?.told)
        #expect(told.error == "use-after-free")
        #expect(told.freedBy?.hasPrefix("touch at crash.c:") == true)
        #expect(told.allocatedBy == nil)
    }

    @Test("A process without an error of its allocations is told nothing")
    func none() throws {
        var (_, snapshot) = try Self.crash.get()
        snapshot.heap?.error = nil
        StackKeeper().keep(in: &snapshot)
        #expect(snapshot.heap?.told == nil)
    }
}
