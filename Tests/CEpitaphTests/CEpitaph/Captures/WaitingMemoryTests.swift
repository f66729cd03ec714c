// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Memory whose pages never come: a wait for one would end by SIGKILL alone.
@Suite struct WaitingMemoryTests {
    /// Nothing here takes a second; a wait for such a page would be cut off after this.
    static let deadlineSeconds: Double = 15
    static let reason = "its pages are not in memory, and waiting for them may have no end"

    static func run(_ way: String) throws -> Dummy {
        let run = try Dummy(way, threads: 2, ["patient"], deadlineSeconds: deadlineSeconds)
        try #require(run.result.ending != .exited(77), "\(run.result.standardError)")
        return run
    }

    @Test("A register that points to such memory costs that memory and nothing else")
    func register() throws {
        let snapshot = try Self.run("waiting-register").expectReport(signals: [SIGSEGV])
        #expect(snapshot.damage.isEmpty)
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
    }

    @Test("Of registered memory only what is there is in the dump")
    func registered() throws {
        let snapshot = try Self.run("waiting-registered").expectReport(signals: [SIGSEGV])
        #expect(snapshot.damage.map(\.reason) == [Self.reason])
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
    }

    @Test("A stack pointer into such memory costs the stack")
    func stackPointer() throws {
        let snapshot = try Self.run("waiting-stack-pointer")
            .expectReport(signals: [SIGSEGV], hasStack: false)
        let thread = try #require(snapshot.crashingThread)
        #expect(thread.stack == nil)
        #expect(
            snapshot.damage.contains {
                $0.subject.contains("\(thread.id)") && $0.reason == Self.reason
            })
        #expect(snapshot.threads.dropFirst().allSatisfy { $0.completeness == .complete })
    }

    @Test(
        "Pages in the middle of a stack that never come are damage, and hold no capture",
        arguments: ["waiting-own-stack", "waiting-other-stack"])
    func holedStack(_ way: String) throws {
        let snapshot = try Self.run(way).expectReport(signals: [SIGSEGV])
        #expect(snapshot.damage.map(\.reason) == [Self.reason])
        let damage = try #require(snapshot.damage.first)
        let thread = try #require(
            snapshot.threads.first { damage.subject.contains("\($0.id)") })
        #expect(thread.registers != nil && thread.stack?.addressRange.isEmpty == false)
        #expect(snapshot.threads.filter { $0.id != thread.id }.allSatisfy { $0.stack != nil })
    }

    @Test("A live dump does not wait for such memory")
    func live() throws {
        let run = try Self.run("waiting-live")
        #expect(run.result.ending == .exited(0))
        let snapshot = try run.snapshot()
        #expect(snapshot.damage.map(\.reason) == [Self.reason])
        #expect(snapshot.threads.count == 3)
    }

    @Test(
        "The stack above tens of thousands of mappings is in the dump, and so is their list",
        arguments: [("more-mappings", 40_000), ("most-mappings", 65_000)])
    func mappings(_ way: String, _ count: Int) throws {
        let snapshot = try Dummy(way, threads: 1, ["patient"]).expectReport(signals: [SIGSEGV])
        let maps = try #require(snapshot.files.maps)
        #expect(MemoryMapping.parse(maps).mappings.count > count)
        #expect(maps.text.contains("[stack]"))
        let thread = try #require(snapshot.crashingThread)
        let pointer = try #require(thread.registers?.stackPointer)
        #expect(thread.stack?.addressRange.contains(pointer) == true)
        #expect(snapshot.damage.isEmpty)
    }
}
