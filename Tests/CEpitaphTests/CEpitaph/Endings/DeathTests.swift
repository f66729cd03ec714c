// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What a way to die is to look like.
struct Death: CustomTestStringConvertible, Sendable {
    let way: String
    let signal: Int32
    let code: Int32
    var address: UInt64?
    var victim = Victim.c

    var testDescription: String { way }
}

@Suite struct DeathTests {
    static let userCode: Int32 = 0  // SI_USER
    static let threadCode: Int32 = -6  // SI_TKILL

    static let deaths = [
        Death(way: "null-write", signal: SIGSEGV, code: 1, address: 16),
        Death(way: "jump-to-null", signal: SIGSEGV, code: 1, address: 0),
        Death(way: "abort", signal: SIGABRT, code: threadCode),
        Death(way: "illegal-instruction", signal: SIGILL, code: 2),
        Death(way: "divide-by-zero", signal: SIGFPE, code: 1),
        Death(way: "bus-error", signal: SIGBUS, code: 2),
        Death(way: "breakpoint", signal: SIGTRAP, code: 0x80),
        Death(way: "raise", signal: SIGSEGV, code: threadCode),
        Death(way: "double-free", signal: SIGABRT, code: threadCode),
        Death(way: "throw", signal: SIGABRT, code: threadCode),
        Death(way: "stack-overflow", signal: SIGSEGV, code: 1),
        Death(
            way: "fatal-error", signal: SIGILL, code: 2, victim: .swift),
        Death(way: "index", signal: SIGILL, code: 2, victim: .swift),
        Death(way: "try", signal: SIGILL, code: 2, victim: .swift),
    ]

    @Test("Each death leaves one dump with its signal, code and address", arguments: deaths)
    func leavesOneDump(_ death: Death) throws {
        let run = try Dummy(death.way, threads: 2, victim: death.victim)
        #expect(run.result.ending == .signalled(death.signal))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let exception = try #require(dump.snapshot.exception)
        #expect(exception.signal == death.signal)
        #expect(exception.code == death.code)
        if let address = death.address { #expect(exception.address == address) }
        #expect(exception.threadID == UInt64(run.result.processID))
        // Of a stack of 8 MiB the middle is left out, and said to be.
        let told = dump.snapshot.damage.map(\.sentence)
        let isWhole = death.way != "stack-overflow"
        let cut = "stack of thread \(run.result.processID): it was longer than its limit, "
        #expect(told.count == (isWhole ? 0 : 1), "\(told)")
        #expect(told.allSatisfy { $0.hasPrefix(cut) }, "\(told)")
    }

    @Test("A process ends with the status it would have had without Epitaph", arguments: deaths)
    func sameStatus(_ death: Death) throws {
        guard death.victim == .c else { return }
        let with = try Dummy(death.way, threads: 1)
        let without = try Dummy(death.way, threads: 1, ["none"])
        #expect(with.result.ending == without.result.ending)
        #expect(without.files.isEmpty)
    }

    @Test(
        "A core dump is written exactly when it would have been",
        arguments: ["null-write", "abort"])
    func sameCore(_ way: String) throws {
        let script = "cd \"$0\" && ulimit -c unlimited && exec \"$@\""
        func run(_ settings: [String]) throws -> Bool {
            let directory = try TemporaryDirectory()
            let result = try Subprocess.run(
                [
                    "bash", "-c", script, directory.path, Victim.c.path,
                    directory.path("db"),
                    way, "1",
                ] + settings)
            return result.dumpedCore
        }
        #expect(try run([]) == run(["none"]))
    }

    @Test("A crash on another thread names that thread")
    func otherThread() throws {
        let run = try Dummy("null-write", threads: 3, ["thread"])
        let snapshot = try run.snapshot()
        #expect(snapshot.crashingThread?.name == "dying")
        #expect(snapshot.exception?.threadID != UInt64(run.result.processID))
        #expect(snapshot.threads.count == 5)
    }

    @Test("A signal from outside keeps its sender", arguments: [SIGSEGV, SIGQUIT, SIGXCPU])
    func killedFromOutside(_ signal: Int32) throws {
        let directory = try TemporaryDirectory()
        let output = directory.path("out")
        let child = try Subprocess.spawn(
            [Victim.c.path, directory.path("db"), "wait", "2"], output: output)
        let deadline = Timestamp.now.adding(seconds: 20)
        while (try? String(contentsOfFile: output, encoding: .utf8)) != "waiting\n",
            Timestamp.now < deadline
        {
            usleep(2_000)
        }
        kill(child, signal)
        #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .signalled(signal))
        let name = try #require(Dummy.files(in: directory.path("db")).first)
        let bytes = try #require(
            FileManager.default.contents(atPath: directory.path("db/pending-dumps/" + name)))
        let exception = try IntermediateDump(.init(Array(bytes))).snapshot.exception
        #expect(exception?.signal == signal)
        #expect(exception?.code == Self.userCode)
        #expect(exception?.senderProcessID == getpid())
        #expect(exception?.senderUserID == getuid())
    }

    @Test("The last words of the runtimes are in the dump")
    func messages() throws {
        let swift = try Dummy("fatal-error", victim: .swift).snapshot()
        #expect(swift.messages.first?.source == "swift")
        #expect(swift.messages.first?.text.contains("Fatal error: the last words") == true)
        let glibc = try Dummy("double-free").snapshot()
        #expect(
            glibc.messages == [
                CrashMessage(
                    source: "glibc", text: "free(): double free detected in tcache 2")
            ])
        #expect(try Dummy("null-write").snapshot().messages.isEmpty)
    }
}
