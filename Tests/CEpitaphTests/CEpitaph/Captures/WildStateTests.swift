// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct WildStateTests {
    @Test(
        "A stack pointer that points nowhere is reported as it is, without a stack",
        arguments: [
            ("sp-zero", 0, SIGSEGV), ("sp-unmapped", 0x1000_0000, SIGSEGV),
            // The processor raises a stack-segment fault: SIGBUS.
            ("sp-noncanonical", 0x00de_adbe_ef00_0000, SIGBUS),
        ])
    func stackPointer(_ way: String, _ address: UInt64, _ signal: Int32) throws {
        let snapshot = try Dummy(way, threads: 2, ["patient"])
            .expectReport(signals: [signal], hasStack: false)
        let thread = try #require(snapshot.crashingThread)
        #expect(thread.registers?.stackPointer == address)
        #expect(thread.stack == nil)
        #expect(snapshot.damage.contains { $0.subject.contains("\(thread.id)") })
        #expect(snapshot.threads.dropFirst().allSatisfy { $0.completeness == .complete })
    }

    @Test(
        "A program counter that points nowhere is reported as it is, with the stack",
        arguments: [("jump-to-null", 0), ("pc-unmapped", 0x1000_0000)])
    func programCounter(_ way: String, _ address: UInt64) throws {
        let snapshot = try Dummy(way).expectReport(signals: [SIGSEGV])
        #expect(snapshot.crashingThread?.registers?.instructionPointer == address)
    }

    @Test(
        "A jump to an address that cannot be, or into data, is captured",
        arguments: ["pc-noncanonical", "pc-in-data"])
    func programCounterElsewhere(_ way: String) throws {
        try Dummy(way).expectReport(signals: [SIGSEGV])
    }

    @Test("The stack of a coroutine, on the heap, is in the dump, also beyond untouched pages")
    func coroutine() throws {
        let snapshot = try Dummy("coroutine").expectReport(signals: [SIGSEGV])
        #expect(snapshot.damage.isEmpty)
        let stack = try #require(snapshot.crashingThread?.stack)
        let text = stack.bytes.text
        #expect(text.contains("the coroutine's own frame"))
    }

    @Test("The capture makes no call through the program's call table")
    func callTable() throws {
        try Dummy("no-call-table", threads: 2).expectReport(signals: [SIGSEGV])
    }

    @Test(
        "A program whose file is gone or another one is reported under its own path and build id",
        arguments: ["deleted-program", "replaced-program"])
    func program(_ way: String) throws {
        let directory = try TemporaryDirectory()
        let copy = directory.path("dummy")
        let original = Victim.c.path
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        let expected = try Dummy("null-write").snapshot().modules.first
        let module = try Dummy(way, command: [copy]).expectReport(signals: [SIGSEGV]).modules.first
        #expect(module?.path == copy)
        #expect(module?.buildID.isEmpty == false)
        #expect(module?.buildID == expected?.buildID)
        let present = FileManager.default.contents(atPath: copy)
        #expect(present == (way == "deleted-program" ? nil : Data("another program\n".utf8)))
    }

    @Test("Five thousand mappings are captured")
    func mappings() throws {
        let snapshot = try Dummy("many-mappings").expectReport(signals: [SIGSEGV])
        let maps = try #require(snapshot.files.maps)
        #expect(MemoryMapping.parse(maps).mappings.count > 5000)
    }

    @Test("A thousand threads are captured, each with little")
    func threads() throws {
        let run = try Dummy("null-write", threads: 1000, ["patient"])
        let snapshot = try run.expectReport(signals: [SIGSEGV])
        #expect(snapshot.threads.count == 1001)
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete && $0.stack != nil })
        #expect(run.sealed[0].count < 1001 * 8192)
    }

    @Test("A thread in an uninterruptible wait is listed with the reason, and does not hold us up")
    func diskSleep() throws {
        let snapshot = try Dummy("beside-disk-sleep").expectReport(signals: [SIGSEGV])
        let thread = try #require(snapshot.threads.first { $0.name == "disk-sleep" })
        #expect(thread.completeness != .complete)
        #expect(thread.whyIncomplete != nil)
        #expect(thread.runState == "D")
    }
}
