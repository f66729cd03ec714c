// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Three lines on standard error, if the program wants them, without ever waiting for their reader.
@Suite struct LastLinesTests {
    /// Runs the dummy with `redirection` of the shell behind it.
    private func run(
        _ way: String, _ settings: [String] = ["last-lines"], in work: TemporaryDirectory,
        redirection: String
    ) throws -> Subprocess {
        try Subprocess.run(
            [
                "bash", "-c", "exec \"$@\" \(redirection)", "bash", Victim.c.path,
                work.path("db"), way, "0",
            ] + settings, deadlineSeconds: 20)
    }

    /// Runs the dummy below a program in Python that reads, or does not read, what it writes.
    private func runReader(
        _ script: String, _ state: String, in work: TemporaryDirectory
    ) throws -> Subprocess {
        try Subprocess.run(
            [
                "python3", "-c", script, state, Victim.c.path, work.path(state),
                "null-write", "0", "last-lines",
            ], deadlineSeconds: 30)
    }

    private func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }

    private func sealed(_ work: TemporaryDirectory) -> [String] {
        Dummy.files(in: work.path("db")).filter { !$0.hasSuffix(".locked") }
    }

    @Test("The lines tell the signal, the last words and the dump", arguments: [">", ">>"])
    func file(_ operation: String) throws {
        let work = try TemporaryDirectory()
        let path = work.path("errors")
        let result = try run("app-words", in: work, redirection: "2\(operation) '\(path)'")
        #expect(result.ending == .signalled(SIGSEGV))
        let lines = try lines(of: path)
        #expect(lines.count == 3)
        #expect(
            lines.first?.hasSuffix(
                ": signal SIGSEGV (11), code SEGV_MAPERR (1), address 0x10") == true, "\(lines)")
        #expect(lines.first?.contains("process \(result.processID)") == true)
        #expect(lines.dropFirst().first == "epitaph: app: the words of the program  on two lines")
        let dump = try #require(sealed(work).first)
        #expect(lines.last == "epitaph: dump \(work.path("db/pending-dumps"))/\(dump)")
    }

    @Test(
        "A signal somebody sent is told with who it was, and without words there is no line of them"
    )
    func sent() throws {
        let work = try TemporaryDirectory()
        let path = work.path("errors")
        let result = try run("raise", in: work, redirection: "2> '\(path)'")
        let lines = try lines(of: path).filter { $0.hasPrefix("epitaph: ") }
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasSuffix("sent by process \(result.processID)") == true, "\(lines)")
    }

    @Test("Without the option nothing is written")
    func notWanted() throws {
        let work = try TemporaryDirectory()
        _ = try run("null-write", [], in: work, redirection: "2> '\(work.path("errors"))'")
        #expect(try lines(of: work.path("errors")).isEmpty)
    }

    @Test("A full pipe that nobody reads does not hold the death up, and one that is read has all")
    func pipe() throws {
        let work = try TemporaryDirectory()
        let before = Timestamp.now
        // The shell fills the pipe, and keeps it open.
        let script = """
            import os, subprocess, sys
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            try:
                while sys.argv[1] == "full": os.write(writing, b"x" * 65536)
            except BlockingIOError: pass
            os.set_blocking(writing, True)
            child = subprocess.run(sys.argv[2:], stderr=writing)
            os.close(writing)
            text = b""
            while True:
                part = os.read(reading, 65536)
                if not part: break
                text += part
            print(child.returncode, text.count(b"epitaph: "), flush=True)
            """
        for (state, expected) in [("full", "-11 0\n"), ("empty", "-11 2\n")] {
            let result = try runReader(script, state, in: work)
            #expect(result.standardOutput == expected, "\(state) \(result.standardError)")
            #expect(Dummy.files(in: work.path(state)).count { !$0.hasSuffix(".locked") } == 1)
        }
        #expect(Timestamp.now.seconds(since: before) < 20)
    }

    @Test("A pipe whose reader is gone does not change the death")
    func brokenPipe() throws {
        let work = try TemporaryDirectory()
        let result = try Subprocess.run(
            [
                "python3", "-c",
                """
                import os, subprocess, sys
                reading, writing = os.pipe()
                os.close(reading)
                print(subprocess.run(sys.argv[1:], stderr=writing).returncode)
                """, Victim.c.path, work.path("db"), "xcpu", "0", "last-lines",
            ], deadlineSeconds: 30)
        #expect(result.standardOutput == "-24\n", "\(result.standardError)")
        #expect(sealed(work).count == 1)
    }

    @Test("A terminal shows the lines; one that was stopped with Ctrl-S does not hold the death up")
    func terminal() throws {
        let work = try TemporaryDirectory()
        let script = """
            import os, pty, subprocess, sys, termios
            ours, theirs = pty.openpty()
            if sys.argv[1] == "stopped": termios.tcflow(theirs, termios.TCOOFF)
            child = subprocess.run(sys.argv[2:], stderr=theirs)
            if sys.argv[1] == "stopped": termios.tcflow(theirs, termios.TCOON)
            os.set_blocking(ours, False)
            try: text = os.read(ours, 65536)
            except BlockingIOError: text = b""
            print(child.returncode, text.count(b"epitaph: "))
            """
        for (state, expected) in [("free", "-11 2\n"), ("stopped", "-11 0\n")] {
            let result = try runReader(script, state, in: work)
            #expect(result.standardOutput == expected, "\(state) \(result.standardError)")
            #expect(Dummy.files(in: work.path(state)).count { !$0.hasSuffix(".locked") } == 1)
        }
    }

    @Test("A socket gets the lines, and a full one does not hold the death up")
    func socket() throws {
        let work = try TemporaryDirectory()
        let script = """
            import os, socket, subprocess, sys
            ours, theirs = socket.socketpair()
            theirs.setblocking(False)
            try:
                while sys.argv[1] == "full": theirs.send(b"x" * 4096)
            except BlockingIOError: pass
            theirs.setblocking(True)
            child = subprocess.run(sys.argv[2:], stderr=theirs)
            theirs.close()
            text = b""
            while True:
                part = ours.recv(65536)
                if not part: break
                text += part
            print(child.returncode, text.count(b"epitaph: "))
            """
        for (state, expected) in [("full", "-11 0\n"), ("empty", "-11 2\n")] {
            let result = try runReader(script, state, in: work)
            #expect(result.standardOutput == expected, "\(state) \(result.standardError)")
        }
    }

    @Test("A closed standard error is left closed, and what has taken its number is not written to")
    func closed() throws {
        let work = try TemporaryDirectory()
        let atStart = try run("null-write", in: work, redirection: "2>&-")
        #expect(atStart.ending == .signalled(SIGSEGV))
        #expect(sealed(work).count == 1)
        let path = work.path("database")
        let later = try run(
            "null-write", ["last-lines", "errors-are=\(path)"], in: work,
            redirection: "2> '\(work.path("errors"))'")
        #expect(later.ending == .signalled(SIGSEGV))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "data\n")
        #expect(try lines(of: work.path("errors")).isEmpty)
        let rotated = try run(
            "null-write", ["last-lines", "log-is=\(work.path("rotated"))"], in: work,
            redirection: "2> '\(work.path("errors"))'")
        #expect(rotated.ending == .signalled(SIGSEGV))
        #expect(try lines(of: work.path("rotated")).count == 2)
    }

    @Test("A live dump says nothing")
    func alive() throws {
        let work = try TemporaryDirectory()
        let result = try run("zeroed-live", in: work, redirection: "2> '\(work.path("errors"))'")
        #expect(result.ending == .exited(0))
        #expect(try lines(of: work.path("errors")).isEmpty)
    }

    @Test("Every call that the lines need is in the list")
    func calls() throws {
        let work = try TemporaryDirectory()
        _ = try Subprocess.run([
            "bash", "-c", "\"$@\" 2>&1 | cat", "bash", "strace", "-f", "-qq", "-o",
            work.path("trace"), Victim.c.path, work.path("db"), "null-write", "0",
            "last-lines",
        ])
        let trace = try String(contentsOfFile: work.path("trace"), encoding: .utf8)
        let calls = SystemCallTests.calls(in: trace, after: "SIGSEGV")
        #expect(calls.contains("pwritev2"))
        let others = calls.subtracting(try SystemCallTests.allowedCalls())
        #expect(others.isEmpty, "\(others)")
    }
}
