// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct SmallStackTests {
    @Test(
        "A crash is captured however little room the alternate stack has",
        arguments: ["tiny-stack", "tiny-stack-of-thread", "no-alternate-stack"])
    func tiny(_ way: String) throws {
        try Dummy(way, threads: 2).expectReport(signals: [SIGSEGV])
    }

    @Test("A crash in a signal handler on a small alternate stack is captured, with that stack")
    func inHandler() throws {
        try Dummy("handler-on-small-stack").expectReport(signals: [SIGSEGV])
    }

    @Test("An alternate stack that another runtime set is used")
    func foreign() throws {
        let snapshot = try Dummy("foreign-stack").expectReport(signals: [SIGSEGV])
        #expect(snapshot.crashingThread?.name == "small")
    }

    @Test("Where the kernel has no room for the signal's frame the process still dies of the fault")
    func noRoom() throws {
        let run = try Dummy("handler-on-full-stack")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.sealed.isEmpty)
    }

    @Test(
        "A live dump sends no signal to a thread whose stack has no room for it",
        arguments: ["live-tiny-thread", "live-beside-full-stack"])
    func liveBesideFullStack(_ way: String) throws {
        let run = try Dummy(way)
        // 85 for memory that was overwritten.
        #expect(run.result.ending == .exited(0))
        let thread = try #require(try run.snapshot().threads.first { $0.completeness != .complete })
        #expect(
            thread.whyIncomplete
                == "nothing proves that its stack has room for the signal that stops it")
    }

    @Test("The start sends no signal to a thread whose stack has no room for it")
    func startBesideTinyThread() throws {
        #expect(try Dummy("null-write", ["early-tiny"]).result.ending == .signalled(SIGSEGV))
    }

    @Test(
        "A crash beside a thread without room ends as without us, and the thread is traced",
        arguments: [("beside-full-stack", SIGABRT), ("tiny-thread", SIGSEGV)])
    func crashBesideFullStack(_ way: String, _ signal: Int32) throws {
        let run = try Dummy(way)
        #expect(run.result.ending == .signalled(signal))
        #expect(try run.snapshot().threads.allSatisfy { $0.completeness == .complete })
    }

    @Test("A previous handler runs after a capture on the emergency stack, and may recover")
    func earlierHandler() throws {
        let run = try Dummy("tiny-stack", ["handler"])
        #expect(run.result.standardOutput == "previous handler\n")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.snapshot().crashingThread?.stack != nil)
        let recovered = try Dummy("tiny-stack", ["recover"])
        #expect(recovered.result.standardOutput == "recovered\n")
        #expect(recovered.result.ending == .signalled(SIGABRT))
        #expect(try recovered.snapshot().exception?.signal == SIGABRT)
    }
}
