// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct MemoryTests {
    /// Size of the dump of a run with that many more threads, for one of them.
    static func bytes(perThread count: Int, without: Dummy, with: Dummy) throws -> Int {
        let small = try #require(without.sealed.first).count
        let large = try #require(with.sealed.first).count
        return (large - small) / count
    }

    @Test("An idle thread costs less than 4 KiB")
    func idleThreads() throws {
        let alone = try Dummy("null-write")
        let many = try Dummy("null-write", threads: 200, ["settled"])
        #expect(try many.snapshot().threads.count == 201)
        #expect(try Self.bytes(perThread: 200, without: alone, with: many) < 4096)
    }

    @Test("An idle worker of libdispatch costs less than 4 KiB")
    func idleWorkers() throws {
        let alone = try Dummy("no-workers", victim: .swift)
        let many = try Dummy("100-workers", victim: .swift)
        let more = try many.snapshot().threads.count - alone.snapshot().threads.count
        #expect(more >= 100)
        #expect(try Self.bytes(perThread: more, without: alone, with: many) < 4096)
    }

    @Test("Threads that wait in a system call keep the first part of their vector registers")
    func vectorRegisters() throws {
        let snapshot = try Dummy("null-write", threads: 3, ["settled"]).snapshot()
        for thread in snapshot.threads.dropFirst() {
            guard case .x86_64(let registers)? = thread.registers else { continue }
            #expect(registers.floatingPoint?.count == 512)
        }
    }

    @Test(
        "No byte of the process is in a dump twice", arguments: ["null-write", "object", "abort"])
    func noneTwice(_ way: String) throws {
        let snapshot = try Dummy(way, threads: 20, ["settled", "registered"]).snapshot()
        // Other threads' stacks are not known yet when the crashing thread's memory is written.
        let stack = try #require(snapshot.crashingThread?.stack)
        let ranges = (snapshot.memory + [stack]).map(\.addressRange)
            .sorted { $0.lowerBound < $1.lowerBound }
        #if DEBUG
            #expect(ranges.count > 20)
        #else
            // Optimized code has fewer pointers in its registers.
            #expect(ranges.count > 12)
        #endif
        for (lower, upper) in zip(ranges, ranges.dropFirst()) {
            #expect(lower.upperBound <= upper.lowerBound)
        }
    }

    @Test("What only the stack points to is there")
    func pointedToByStack() throws {
        let snapshot = try Dummy("object").snapshot()
        #expect(snapshot.memory.contains(text: "an object that only the stack points to"))
        #expect(snapshot.damage.isEmpty)
    }

    @Test("Registered memory is there, unregistered and unreadable memory is not")
    func registered() throws {
        let snapshot = try Dummy("null-write", threads: 2, ["registered"]).snapshot()
        #expect(snapshot.memory.contains(text: "registered: bytes that the program wants\0"))
        #expect(!snapshot.memory.contains(text: "UUUUUUUU"))
        let large = try #require(snapshot.memory.first { $0.bytes.count == 600_000 })
        #expect(large.bytes.array.allSatisfy { $0 == UInt8(ascii: "L") })
        // The budget of 1 MiB cut the last of them.
        let cut = try #require(
            snapshot.memory.max { $0.bytes.count < $1.bytes.count && $0 != large })
        #expect(cut.bytes.count > 400_000)
        #expect(snapshot.damage.count == 2)
    }

    @Test("A budget that is used up is one entry in the list of damage")
    func budget() throws {
        let snapshot = try Dummy("null-write", threads: 20, ["little", "settled"]).snapshot()
        #expect(snapshot.memory.reduce(0) { $0 + $1.bytes.count } <= 512)
        #expect(snapshot.damage.count == 1)
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete && $0.stack != nil })
    }

    @Test(
        "Stacks that cannot be written with one call are written one by one",
        arguments: ["error=EFAULT", "error=EINTR:when=1", "retval=5"])
    func oneByOne(_ injection: String) throws {
        let trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=pwritev:\(injection)"]
        let snapshot = try Dummy("null-write", threads: 40, ["deep", "settled"], prefix: trace)
            .snapshot()
        #expect(snapshot.threads.count == 41)
        let deep = snapshot.threads.filter { $0.name?.hasPrefix("idle-") == true }
        #expect(deep.count == 40)
        for thread in deep {
            let stack = try #require(thread.stack)
            #expect(stack.addressRange.upperBound == thread.threadDataAddress)
            let used = stack.bytes.array.split(separator: 1).count
            #expect(used > 100)
        }
        #expect(snapshot.damage.isEmpty)
    }

    @Test("The callers of a Swift task can be followed", arguments: ["task", "task-elsewhere"])
    func taskCallers(_ way: String) throws {
        let snapshot = try Dummy(way, victim: .swift).snapshot()
        let executable = try #require(snapshot.modules.first)
        var longest = 0
        for thread in snapshot.threads {
            for word in thread.stack?.words ?? [] {
                longest = max(longest, snapshot.contexts(from: word, in: executable).count)
            }
        }
        // The closure, the outer and the middle function.
        #expect(longest >= 3)
    }
}

extension ProcessSnapshot {
    /// Where the callers behind an async context go on, as far as they are in `module`:
    /// AsyncContext is {Parent, ResumeParent}, swift/ABI/Task.h.
    fileprivate func contexts(from start: UInt64, in module: ModuleSnapshot) -> [UInt64] {
        var found: [UInt64] = []
        var address = start
        while address != 0, address % 16 == 0, found.count < 32,
            let region = memory.first(where: { $0.addressRange.contains(address) }),
            let resume = region.word(at: address + 8),
            let parent = region.word(at: address), module.addressRange.contains(resume)
        {
            found.append(resume)
            address = parent
        }
        return found
    }
}

extension MemoryRegion {
    func word(at address: UInt64) -> UInt64? {
        let offset = Int(address - self.address)
        var cursor = ByteCursor(bytes, offset: offset)
        return try? cursor.read(UInt64.self)
    }

    var words: [UInt64] {
        (0..<UInt64(bytes.count / 8)).compactMap { word(at: address + $0 * 8) }
    }
}

extension [MemoryRegion] {
    func contains(text: String) -> Bool {
        contains { Data($0.bytes.array).range(of: Data(text.utf8)) != nil }
    }
}
