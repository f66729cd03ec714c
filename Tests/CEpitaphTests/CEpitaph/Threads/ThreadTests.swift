// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Threads that are hard to stop: each is in the dump, or the dump says why not.
@Suite struct ThreadTests {
    @Test("A thread that blocks all signals for a while is waited for and complete")
    func unblocksLate() throws {
        let snapshot = try Dummy("unblock-late", threads: 0, ["patient"]).snapshot()
        let thread = try #require(snapshot.threads.first { $0.name == "late" })
        #expect(thread.completeness == .complete)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("While threads are made and end all the time, none is lost without a reason")
    func churn() throws {
        for _ in 0..<5 {
            let dump = try Dummy("churn", threads: 1, ["patient"]).dump()
            let snapshot = dump.snapshot
            #expect(dump.isComplete)
            let churning = snapshot.threads.filter { $0.name == "churning" }
            #expect(churning.count >= 4)
            #expect(churning.count { $0.completeness == .complete } >= 4)
            for thread in snapshot.threads where thread.completeness != .complete {
                #expect(thread.whyIncomplete == "the thread had ended")
            }
            #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
        }
    }

    @Test("A thread that begins while a live dump is made is waited for")
    func liveChurn() throws {
        let run = try Dummy("live-churn", ["patient"])
        #expect(run.result.ending == .exited(0))
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        let unproved = snapshots.filter { snapshot in
            snapshot.damage.contains { $0.reason.hasPrefix("nothing proves that its stack") }
        }
        // A busy machine may start one too late; without a new look nearly every dump lacks one.
        #expect(snapshots.count == 10)
        #expect(unproved.count < 4, "\(unproved.flatMap(\.damage).map(\.sentence))")
    }

    @Test("A main thread that ended before the others is named as such and not waited for")
    func noMainThread() throws {
        let run = try Dummy("no-main-thread", ["patient"])
        let snapshot = try run.snapshot()
        let main = try #require(
            snapshot.threads.first { $0.id == UInt64(run.result.processID) })
        #expect(main.completeness == .missing)
        #expect(main.whyIncomplete == "the thread had ended")
        #expect(snapshot.crashingThread?.id != main.id)
        // Waiting for it would have taken the 30 s of "patient".
        #expect(try #require(snapshot.capture?.durationNanoseconds) < 20_000_000_000)
    }

    @Test(
        "A thread in uninterruptible sleep is named, whatever is tried",
        arguments: [[], ["ptrace"]])
    func uninterruptible(_ settings: [String]) throws {
        let run = try Dummy("vforking", threads: 0, settings)
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let thread = try #require(dump.snapshot.threads.first { $0.name == "vforking" })
        #expect(thread.completeness != .complete)
        #expect(thread.runState == "D")
        #expect(thread.whyIncomplete == "the thread did not answer before the deadline")
    }

    @Test(
        "A thread that blocks all signals it may is complete, without ptrace and without a wait",
        arguments: [["no-ptrace"], ["undumpable"]])
    func masked(_ settings: [String]) throws {
        let snapshot = try Dummy(
            "null-write", threads: 2, ["masked", "settled", "patient"] + settings
        ).snapshot()
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
        #expect((snapshot.capture?.durationNanoseconds ?? .max) < 10_000_000_000)
    }

    @Test("A process that may not be traced is not made traceable unless that is asked for")
    func undumpable() throws {
        let settings = ["blocked", "settled", "undumpable"]
        for (more, completeness) in [
            ([], ThreadSnapshot.Completeness.partial), (["ptrace"], .complete),
        ] {
            let snapshot = try Dummy("null-write", threads: 2, settings + more).snapshot()
            let thread = try #require(snapshot.threads.first { $0.name == "idle-0" })
            #expect(thread.completeness == completeness)
        }
    }

    @Test("A thread in sigwait is stopped with the others, and does not end the process instead")
    func sigwait() throws {
        let run = try Dummy("sigwait")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshot = try run.snapshot()
        #expect(snapshot.threads.count == 2)
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
    }

    @Test("The start does not wake a thread that waits for the stop signal")
    func startBesideSigwait() throws {
        let run = try Dummy("null-write", ["waiting"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.snapshot().threads.count == 2)
    }

    @Test("A thread in a handler on an alternate stack keeps the stack that it came from")
    func inHandler() throws {
        let run = try Dummy("handling")
        let words = run.result.standardOutput.dropFirst(2).prefix { $0.isHexDigit }
        let address = try #require(UInt64(words, radix: 16))
        let snapshot = try run.snapshot()
        #expect(snapshot.memory.contains { $0.addressRange.contains(address) })
    }

    @Test("A thread made by a raw clone is captured like any other")
    func rawThread() throws {
        for settings in [[], ["ptrace"]] {
            let snapshot = try Dummy("raw-thread", settings + ["patient"]).snapshot()
            #expect(snapshot.threads.count == 2)
            #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
        }
    }

    @Test(
        "A thread in which the kernel works for io_uring is known as such, and has no stack",
        arguments: ["ptrace", "no-ptrace"])
    func kernelWorker(_ setting: String) throws {
        let run = try Dummy("kernel-worker", threads: 0, [setting])
        try #require(run.result.ending != .exited(78), "the kernel has no io_uring")
        let snapshot = try run.snapshot()
        let worker = try #require(
            snapshot.threads.first { $0.name?.hasPrefix("iou-wrk") == true })
        #expect(worker.completeness == .missing && worker.registers == nil)
        #expect(worker.whyIncomplete?.hasPrefix("it works in the kernel, for io_uring") == true)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("The stop signal does no harm to a thread that unblocks it after the capture")
    func pendingSignal() throws {
        let run = try Dummy("live-blocked")
        #expect(run.result.ending == .exited(0))
        #expect(run.result.standardOutput == "unblocked\n")
        #expect(run.sealed.count == 1)
    }
}

/// Threads that block all signals, with the setting that asks ptrace.
@Suite struct TracedThreadTests {
    static let settings = ["blocked", "settled", "patient", "ptrace"]

    @Test("A thread that blocks all signals is complete when it may be traced")
    func complete() throws {
        let snapshot = try Dummy("null-write", threads: 2, Self.settings).snapshot()
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
        #expect(snapshot.capture?.threadsStopped == 3)
        // Two threads in the same place, one traced and one stopped by the signal, which ends
        // pause(2).
        let traced = try #require(snapshot.threads.first { $0.name == "idle-0" })
        let signalled = try #require(snapshot.threads.first { $0.name == "idle-1" })
        guard case .x86_64(let one)? = traced.registers,
            case .x86_64(let other)? = signalled.registers
        else {
            Issue.record("not x86_64")
            return
        }
        #expect(traced.completeness == .complete)
        #expect(traced.systemCall == 34)
        #expect(one.rip == other.rip - 2)
        #expect(one.cs == other.cs && one.ss == other.ss)
        #expect(one.rsp != other.rsp)
        #expect(try #require(one.floatingPoint).count >= 512)
        #expect(traced.stack?.addressRange.contains(one.rsp + 8) == true)
        let end = try #require(traced.threadDataAddress)
        #expect(try #require(traced.stack).addressRange.upperBound <= end)
        #expect(traced.schedulingPolicy == signalled.schedulingPolicy)
        #expect(traced.nice == signalled.nice && traced.priority == signalled.priority)
    }

    @Test("A thread that no signal reaches is traced where that changes nothing else")
    func unasked() throws {
        let snapshot = try Dummy("null-write", threads: 2, ["blocked", "settled"]).snapshot()
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Where ptrace is forbidden the thread is partial, and the dump says why")
    func forbidden() throws {
        let run = try Dummy(
            "null-write", threads: 2, ["blocked", "settled", "ptrace", "no-ptrace"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let thread = try #require(dump.snapshot.threads.first { $0.name == "idle-0" })
        #expect(thread.completeness == .partial)
        #expect(thread.whyIncomplete == "the thread blocks the signal that stops threads")
        let sentences = dump.snapshot.damage.map(\.sentence)
        #expect(sentences.count == 2)
        #expect(sentences.contains { $0.contains("system call failed") }, "\(sentences)")
        #expect(dump.snapshot.damage.contains { $0.errorNumber == EPERM })
    }

    @Test("An emulator without ptrace costs nothing but the registers")
    func emulated() throws {
        let dummy = AArch64Tests.dummy
        let run = try Dummy(
            "null-write", threads: 2, ["blocked", "ptrace"], command: [dummy],
            prefix: AArch64Tests.emulator)
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        #expect(dump.snapshot.threads.contains { $0.name == "idle-1" })
    }

    @Test("The tracer does not outlive a process that is killed in the middle of the capture")
    func killed() throws {
        let directory = try TemporaryDirectory()
        // The thread that cannot be stopped keeps the capture waiting for half a minute.
        let child = try Subprocess.spawn([
            Victim.c.path, directory.path("db"), "vforking", "0", "patient", "ptrace",
        ])
        let deadline = Timestamp.now.adding(seconds: 20)
        let path = "/proc/\(child)/task/\(child)/children"
        var tracer: Int32?
        while tracer == nil, Timestamp.now < deadline {
            let text = try? FileHandle(forReadingAtPath: path)?.readToEnd()
            tracer = Int32(String(decoding: text ?? Data(), as: UTF8.self).prefix { $0.isNumber })
            usleep(2_000)
        }
        let found = try #require(tracer)
        kill(child, SIGKILL)
        #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .signalled(SIGKILL))
        while kill(found, 0) == 0, Timestamp.now < deadline { usleep(2_000) }
        #expect(kill(found, 0) == -1 && errno == ESRCH)
    }

    @Test("A process that survives finds that no wait of a traced thread was interrupted")
    func survivor() throws {
        let run = try Dummy("recover-beside-epolling", ["virtual"])
        #expect(run.result.ending == .exited(0))
        #expect(run.result.standardOutput == "0 interrupted\n")
    }

    @Test("The tracer makes only allowed system calls, and is waited for")
    func systemCalls() throws {
        let directory = try TemporaryDirectory()
        // Both may not trace: what strace holds already is refused to the tracer.
        _ = try Subprocess.run([
            "strace", "-f", "-qq", "-o", directory.path("trace"), Victim.c.path,
            directory.path("db"), "null-write", "2", "blocked", "settled", "ptrace",
        ])
        let trace = try String(contentsOfFile: directory.path("trace"), encoding: .utf8)
        let calls = SystemCallTests.calls(in: trace, after: "SIGSEGV")
        #expect(calls.contains("clone") && calls.contains("wait4"))
        let others = calls.subtracting(try SystemCallTests.allowedCalls())
        #expect(others.subtracting(["pause"]).isEmpty, "\(others)")
    }
}

/// Threads that block all signals and compute, in live dumps.
@Suite struct LiveTracedThreadTests {
    private func computing(_ run: Dummy) throws -> [ThreadSnapshot] {
        try run.sealed.compactMap { bytes in
            try IntermediateDump(bytes).snapshot.threads.first { $0.name == "computing" }
        }
    }

    @Test("A thread that computes is traced; no call of any thread, and no child, shows it")
    func unnoticed() throws {
        let run = try Dummy("live-beside-blocked")
        #expect(run.result.ending == .exited(0))
        #expect(
            run.result.standardOutput
                == "0 interrupted, 0 short, 0 failed, 0 children, 0 signals, tracer 0\n")
        let threads = try computing(run)
        #expect(threads.count == 20)
        // On a busy machine it may not run long enough.
        #expect(threads.contains { $0.completeness == .complete && $0.runState == "R" })
    }

    @Test("A thread whose tracer is killed goes on")
    func killedTracer() throws {
        let run = try Dummy("live-tracer-killed")
        #expect(run.result.standardOutput == "runs, 0 failed, status 0, tracer 0\n")
    }

    @Test("A thread that a debugger traces stays with it")
    func debugged() throws {
        let run = try Dummy("live-debugged")
        #expect(run.result.standardOutput == "runs, 0 failed, status 0, tracer 0\n")
        let threads = try computing(run)
        #expect(
            threads.contains {
                $0.whyIncomplete == "the thread blocks the signal that stops threads"
            })
    }
}
