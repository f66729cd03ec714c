// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Alternate stacks for threads that were there before Epitaph, and what a dump has of a stack that
/// overflowed.
@Suite struct StackOverflowTests {
    @Test("A stack overflow on a thread that existed before the start is captured")
    func earlyThread() throws {
        let run = try Dummy("stack-overflow", threads: 1, ["early"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshot = try run.snapshot()
        #expect(snapshot.crashingThread?.name == "early")
        #expect(snapshot.threads.count == 4)
    }

    // Not one that existed before: the emulator's /proc does not show that its stack has room for
    // the signal by which it would get an alternate one.
    @Test("A stack overflow of a thread on aarch64 is captured")
    func threadOnAArch64() throws {
        let run = try Dummy(
            "stack-overflow", threads: 1, ["thread", "patient"], command: [AArch64Tests.dummy],
            prefix: AArch64Tests.emulator)
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.snapshot().exception?.signal == SIGSEGV)
    }

    @Test("A thread that was left alone dies silently of its stack overflow")
    func leftAlone() throws {
        let run = try Dummy("stack-overflow", ["early", "left-alone"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.sealed.isEmpty)
    }

    @Test("A thread waiting in read is given its stack without noticing")
    func notInterrupted() throws {
        // An early thread whose read(2) failed ends the process with 71.
        let run = try Dummy("null-write", ["early-main", "settled"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let early = try run.snapshot().threads.filter { $0.name == "early" }
        #expect(early.count == 2)
        #expect(early.allSatisfy { $0.completeness == .complete && $0.systemCall == 0 })
    }

    @Test("A larger alternate stack of another runtime is left in place")
    func larger() throws {
        // A thread that finds another one ends the process with 78.
        let run = try Dummy("stack-overflow", ["early", "early-large"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.snapshot().crashingThread?.name == "early")
    }

    @Test("A profiler has its signal back once all threads have their stacks")
    func profiled() throws {
        // A process that finds another handler for SIGPROF ends with 81.
        let run = try Dummy("null-write", threads: 0, ["early-main", "settled", "profiled"])
        #expect(run.result.ending == .signalled(SIGSEGV))
    }

    @Test("A stack that was given to a thread is given back after the thread's end")
    func givenBack() throws {
        let run = try Dummy("end-early-threads", ["early-main"])
        #expect(run.result.ending == .exited(0), "\(run.result.ending)")
        #expect(run.result.standardOutput == "given back\n")
    }

    @Test(
        "In a program that is linked statically, too, every thread gets its stack",
        arguments: [[], ["thread"], ["early"]])
    func linkedStatically(_ settings: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("static-dummy")
        try Dummy.linkStatically("-static", to: program)
        let run = try Dummy("stack-overflow", threads: 2, settings, command: [program])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshot = try run.snapshot()
        #expect(snapshot.threads.count { $0.completeness == .complete } >= 3)
        // Its middle is beyond every limit.
        let others = snapshot.damage.filter { !$0.reason.hasPrefix("it was longer than its limit") }
        #expect(others.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "A stack that overflowed is there with both ends",
        arguments: [[], ["thread"], ["early"]])
    func bothEnds(_ settings: [String]) throws {
        let snapshot = try Dummy("stack-overflow", settings).snapshot()
        let thread = try #require(snapshot.crashingThread)
        let stack = try #require(thread.stack)
        let pointer = try #require(thread.registers).stackPointer
        // A guard page may lie at the stack pointer; what is readable begins right above it.
        #expect(stack.address >= pointer - 128 && stack.address < pointer + (1 << 20))
        #expect(stack.bytes.count == 1 << 20)
        let outermost = try #require(snapshot.memory.first { $0.bytes.count == 32 << 10 })
        #expect(outermost.address > stack.addressRange.upperBound)
        if !settings.isEmpty {
            #expect(outermost.addressRange.upperBound == thread.threadDataAddress)
        }
        // The stacks of the eight megabytes that the system gives by default.
        #expect(outermost.address - stack.address > 4 << 20)
    }

    /// Linux 6.13, on which the way does not end by itself.
    private static let hasGuardRegions =
        (try? Dummy("guard-region").result.ending) == .signalled(SIGSEGV)

    @Test(
        "The guard of a stack that overflowed is not missing from it",
        .enabled(if: hasGuardRegions, "this kernel has no MADV_GUARD_INSTALL"))
    func guardRegion() throws {
        let snapshot = try Dummy("guard-region").snapshot()
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
        let thread = try #require(snapshot.crashingThread)
        let stack = try #require(thread.stack)
        let pointer = try #require(thread.registers).stackPointer
        #expect(stack.address >= pointer - 128 && stack.address < pointer + 4096)
        #expect(stack.addressRange.upperBound == thread.threadDataAddress)
    }
}
