// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import Testing

@Suite("The own context of an async function")
struct SwiftAsyncOwnContextTests {
    /// mov %rax,%r14: what a function does before it calls another one that it awaits.
    private static let loadsR14: [UInt8] = [0x50, 0x49, 0x89, 0xc6]
    private static let names: [String?] = [
        "$s1p1aSiyYaFTY1_", "$s1p1bSiyYaFTQ0_", "$s1p1cSiyYaFTQ2_", "$s1p1aSiyYaFTQ0_",
    ]

    /// Callers 1 and 2 of a function without the prologue; function 3 is the running one's own
    /// `await`.
    private func optimized(_ code: [UInt8]) -> MadeUpTask {
        var task = MadeUpTask(Self.names)
        task.functions[0].code = code
        task.links = [
            (parent: task.context(1), resume: task.start(of: 1)),
            (parent: task.context(2), resume: task.start(of: 2)),
            (parent: 0, resume: MadeUpTask.taskEnd),
            // Of a function that the running one is about to call.
            (parent: task.context(0), resume: task.start(of: 3)),
            // Of another task.
            (parent: task.context(2), resume: task.start(of: 2)),
        ]
        return task
    }

    private func callers(_ backtrace: Backtrace) -> [UInt64] {
        backtrace.frames.filter { $0.foundBy == .asyncContext }.map(\.lookupAddress)
    }

    @Test("It is in the register it came in")
    func register() throws {
        var task = optimized([0x50])
        task.contextRegister = task.context(0)
        #expect(callers(try task.unwind()) == [1, 2].map(task.start))
    }

    @Test("A callee's context in that register does not make the function its own caller")
    func calleeInRegister() throws {
        var task = optimized(Self.loadsR14)
        task.contextRegister = task.context(3)
        #expect(callers(try task.unwind()) == [1, 2].map(task.start))
    }

    @Test("A recursion's context is its own where nothing else can have come to the register")
    func recursion() throws {
        var task = optimized([0x50])
        task.contextRegister = task.context(3)
        #expect(callers(try task.unwind()) == [3, 1, 2].map(task.start))
    }

    @Test("The only context in the frame is taken, and that of a callee leads to it")
    func onlyCandidate() throws {
        var task = optimized(Self.loadsR14)
        task.otherWords = [task.context(3), 17, task.context(0), MadeUpTask.stack]
        #expect(callers(try task.unwind()) == [1, 2].map(task.start))
    }

    @Test("Of two contexts that disagree none is taken")
    func disagreement() throws {
        var task = optimized(Self.loadsR14)
        task.otherWords = [task.context(4), task.context(0)]
        let backtrace = try task.unwind()
        #expect(callers(backtrace).isEmpty)
        #expect(backtrace.asyncEnd == .noContext)
    }

    @Test("Without names a register that may have been loaded proves nothing")
    func strippedRegister() throws {
        var task = optimized(Self.loadsR14)
        for index in task.functions.indices { task.functions[index].name = nil }
        task.contextRegister = task.context(3)
        #expect(try task.unwind().asyncEnd == .noContext)
        task.functions[0].code = [0x50]
        task.contextRegister = task.context(0)
        #expect(callers(try task.unwind()) == [1, 2].map(task.start))
    }

    @Test("Until the prologue is done it is in the register", arguments: [0, 1, 7])
    func prologue(offset: UInt64) throws {
        var task = MadeUpTask(Self.names)
        task.chainAll()
        task.offset = offset
        task.contextRegister = task.context(0)
        task.slot = task.context(2)
        #expect(callers(try task.unwind()).first == task.start(of: 1))
    }

    @Test("Right behind an await the callee's context is still in the frame", arguments: [0, 16])
    func resumed(offset: UInt64) throws {
        var task = MadeUpTask(["$s1p1aSiyYaFTQ0_", "$s1p1bSiyYaFTQ0_"])
        task.links = [
            (parent: task.context(1), resume: task.start(of: 0)),
            (parent: task.context(2), resume: task.start(of: 1)),
            (parent: 0, resume: MadeUpTask.taskEnd),
        ]
        task.offset = offset
        task.contextRegister = task.context(0)
        task.slot = task.context(0)
        #expect(callers(try task.unwind()) == [task.start(of: 1)])
    }

    @Test("Whatever is in memory, every caller given is where an async function goes on")
    func randomMemory() throws {
        var random = SplitMix(state: 4)
        for _ in 0..<200 {
            var task = MadeUpTask(Self.names)
            func word() -> UInt64 {
                switch random.next() % 6 {
                case 0: task.context(Int(random.next() % 12))
                case 1: task.start(of: Int(random.next() % 4))
                case 2: task.start(of: 0) &+ random.next() % 256
                case 3: MadeUpTask.taskEnd
                case 4: UInt64.max - random.next() % 64
                default: random.next()
                }
            }
            if random.next() % 2 == 0 { task.functions[0].code = Self.loadsR14 }
            task.links = (0..<12).map { _ in (parent: word(), resume: word()) }
            (task.slot, task.contextRegister, task.offset) = (word(), word(), random.next() % 64)
            task.otherWords = (0..<6).map { _ in word() }
            for caller in callers(try task.unwind()) {
                #expect((1...3).contains { task.start(of: $0) == caller })
            }
        }
    }
}

/// The same numbers in every run. Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators".
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
