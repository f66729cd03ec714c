// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A seccomp filter answers EPERM, or EINTR, to one of the calls that a crash makes.
@Suite struct DeniedCallTests {
    @Test(
        "Without a call that is not essential the report is whole",
        arguments: [
            "close", "prlimit64", "rt_sigtimedwait", "sigaltstack", "rt_sigaction",
            "rt_sigprocmask", "tgkill", "rt_tgsigqueueinfo", "getppid", "getuid", "prctl",
            "arch_prctl", "sched_getattr", "getrusage",
            "uname", "clock_gettime", "timer_create", "timer_settime", "timer_delete",
            "getdents64", "pwritev",
        ])
    func notEssential(_ call: String) throws {
        try Dummy("null-write", ["deny-\(call)"]).expectReport(signals: [SIGSEGV])
    }

    @Test(
        "Without the calls that read, the exception and the crashing thread are still there",
        arguments: ["openat", "read", "pipe2"])
    func reading(_ call: String) throws {
        let run = try Dummy("null-write", ["deny-\(call)"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.address == 16)
        #expect(snapshot.crashingThread?.registers != nil)
        #expect(!snapshot.damage.isEmpty)
    }

    @Test("Without a clock the report has no times")
    func times() throws {
        let process = try Dummy("null-write", ["deny-clock_gettime"]).snapshot().process
        #expect(process.startTime == nil)
        #expect(process.uptimeNanoseconds == nil)
    }

    @Test(
        "A call that is interrupted whenever it is repeated ends all the same",
        arguments: ["pwrite64", "read", "openat"])
    func interrupted(_ call: String) throws {
        let begin = ContinuousClock.now
        let run = try Dummy("null-write", ["interrupt-\(call)"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        // The watchdog would come after five.
        #expect(begin.duration(to: .now) < .seconds(4))
    }

    @Test("Without a clock the tracer's waits end all the same")
    func tracerWithoutClock() throws {
        let run = try Dummy(
            "null-write", threads: 2, ["blocked", "ptrace", "deny-clock_gettime"],
            deadlineSeconds: 30)
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.dump().isComplete)
    }

    @Test("Without a list of the threads those that were made with pthread_create are there")
    func threads() throws {
        for call in ["getdents64", "openat"] {
            let run = try Dummy("null-write", threads: 3, ["patient", "deny-\(call)"])
            let threads = try run.snapshot().threads
            #expect(threads.count == 4)
            #expect(threads.allSatisfy { $0.completeness == .complete })
            // Where the kernel does not even say how many there are, others may be missing, and the
            // report says so.
            let about = try run.snapshot().damage.filter { $0.subject.contains("thread") }
            #expect(
                about.contains { $0.errorNumber == EPERM } == (call == "openat"),
                "\(about.map(\.sentence))")
        }
    }

    @Test("Without a rename the whole dump stays in the locked file, for the next launch to find")
    func rename() throws {
        let run = try Dummy("null-write", ["deny-renameat"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let name = try #require(run.files.first)
        #expect(run.files.count == 1 && name.hasSuffix(".locked"))
        let data = FileManager.default.contents(
            atPath: run.directory.path("db/pending-dumps/" + name))
        #expect(try IntermediateDump(.init(Array(try #require(data)))).isComplete)
    }

    @Test("Without writing there is no report, and the death is right")
    func writing() throws {
        let run = try Dummy("null-write", ["deny-pwrite64"])
        #expect(run.result.ending == .signalled(SIGSEGV))
    }
}
