// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Programs with more rights than their user, under a debugger, before exec, and with the Swift
/// runtime's backtracer.
@Suite struct SurroundingsTests {
    static let secureSentence =
        "this program has more rights than the user who runs it, so its crashes are not recorded "
        + "unless options.allows_secure_execution is set\n"

    /// Runs a set-user-id copy of the dummy as nobody.
    private func runSetUserID(
        _ settings: [String], in directory: TemporaryDirectory
    ) throws -> Subprocess {
        let program = directory.path("dummy")
        #expect(chmod(directory.path, 0o755) == 0)
        // Not copied by this process: a program that other tests start meanwhile would inherit the
        // descriptor, and a file that is open for writing cannot be executed.
        _ = try Subprocess.run(["install", "-m", "4755", Victim.c.path, program])
        return try Subprocess.run(
            [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program,
                directory.path("db"), "null-write", "0",
            ] + settings)
    }

    @Test(
        "A set-user-id program is refused politely unless its options allow it",
        .enabled(if: getuid() == 0, "only root can make set-user-id programs for others to run"))
    func secureExecution() throws {
        let directory = try TemporaryDirectory()
        let refused = try runSetUserID([], in: directory)
        #expect(refused.ending == .exited(70))
        #expect(refused.standardError == Self.secureSentence)
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
        let allowed = try runSetUserID(["secure"], in: directory)
        #expect(allowed.ending == .signalled(SIGSEGV))
        let files = Dummy.files(in: directory.path("db"))
        #expect(files.count == 1 && !files[0].hasSuffix(".locked"))
    }

    @Test("Under a debugger Epitaph does not start unless its options allow it")
    func debugger() throws {
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null"]
        let refused = try Dummy("null-write", threads: 0, ["no-debugger"], prefix: strace)
        #expect(refused.result.ending == .exited(70))
        let words = refused.result.standardError
        #expect(words.hasPrefix("a debugger (process "))
        #expect(
            words.hasSuffix(
                ") is attached, so crashes are left to it and not recorded unless "
                    + "options.allows_debugger is set\n"))
        #expect(refused.files.isEmpty)
        #expect(try Dummy("null-write", prefix: strace).sealed.count == 1)
        #expect(try Dummy("null-write", threads: 0, ["no-debugger"]).sealed.count == 1)
    }

    @Test("A program that is executed inherits no descriptor, no handler and no lock")
    func exec() throws {
        let run = try Dummy("exec-showing-status", threads: 2)
        #expect(run.result.ending == .exited(0))
        let output = run.result.standardOutput
        #expect(!output.contains(run.directory.path), "\(output)")
        #expect(output.contains("SigCgt:\t0000000000000000\n"), "\(output)")
        let without = try Dummy("exec-showing-status", threads: 2, ["none"]).result.standardOutput
        for mask in ["SigBlk:", "SigIgn:", "SigPnd:", "ShdPnd:"] {
            func line(_ text: String) -> Substring? {
                text.split(separator: "\n").first { $0.hasPrefix(mask) }
            }
            #expect(line(output) != nil && line(output) == line(without))
        }
        #expect(run.files.count == 1 && run.files[0].hasSuffix(".locked"))
        let path = run.directory.path("db/pending-dumps/" + run.files[0])
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        #expect(fcntl(descriptor, F_SETLK, &lock) == 0)
    }

    // Without symbols, and with a deadline: the backtracer can take long, and has been seen to
    // hang.
    private func runWithBacktracer(_ way: String, _ settings: [String]) throws -> Dummy {
        try Dummy(
            way, threads: 0, settings, victim: .swift,
            environment: [
                "SWIFT_BACKTRACE": "enable=yes,symbolicate=off,color=no,interactive=no"
            ], deadlineSeconds: 30)
    }

    @Test("The Swift runtime's backtracer is replaced: the process dies of its signal at once")
    func backtracerReplaced() throws {
        let run = try runWithBacktracer("fatal-error", [])
        #expect(run.result.ending == .signalled(SIGILL))
        #expect(!run.result.standardError.contains("crashed:"))
        #expect(try run.snapshot().messages.first?.source == "swift")
    }

    @Test("The Swift runtime's backtracer runs after the capture when it is chained")
    func backtracerChained() throws {
        let run = try runWithBacktracer("fatal-error", ["chain"])
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == SIGILL)
        #expect(snapshot.messages.first?.source == "swift")
        guard run.result.ending != .timedOut else { return }
        #expect(run.result.ending == .signalled(SIGILL))
        #expect(run.result.standardError.contains("crashed:"), "\(run.result.standardError)")
        #expect(run.sealed.count == 1)
    }

    // The runtime gives the main thread an alternate stack, and no other. There its handler runs,
    // restores the default action and returns to the fault.
    @Test("The dump of an overflowed main stack is sealed after the backtracer has run")
    func backtracerChainedAfterOverflow() throws {
        let run = try runWithBacktracer("overflow-main", ["chain"])
        guard run.result.ending != .timedOut else { return }
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.result.standardError.contains("crashed:"), "\(run.result.standardError)")
        #expect(run.sealed.count == 1)
    }
}
