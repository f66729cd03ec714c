// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// `Epitaph.start` in programs of their own.
@Suite struct StartedProgramTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(
        _ mode: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Subprocess {
        try Victim.facade.run(
            [mode, directory.path("db")] + arguments, environment: environment)
    }

    private func dumps() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path("db/pending-dumps"))
    }

    @Test("Before the start nothing happens, and nothing traps")
    func idle() throws {
        let result = try run("idle")
        #expect(
            result.standardOutput
                == "crashes are not captured: Epitaph has not been started\n"
                + "Epitaph has not been started\n")
        #expect(result.ending == .exited(0) && result.standardError == "")
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
    }

    @Test("What an operator wrote counts, and what is wrong is a line on standard error")
    func environment() throws {
        let config = try directory.write(Array("breadcrumbs = 5\nfoo = 1\n".utf8), to: "conf")
        let result = try run(
            "environment",
            environment: ["EPITAPH_CONFIG": config, "EPITAPH_DATABASE": directory.path("other")])
        #expect(
            result.standardOutput == "crashes are captured \(directory.path("other"))\n")
        #expect(
            result.standardError.hasPrefix("epitaph: \(config), line 2: there is no key \"foo\""))
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
    }

    @Test("A program that is disabled in the environment records nothing and runs on")
    func disabled() throws {
        let result = try run("environment", environment: ["EPITAPH_ENABLED": "no"])
        #expect(
            result.standardOutput == "crashes are not captured: that is disabled \n")
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
    }

    @Test("A forked child can start it, and its crash is recorded")
    func afterFork() throws {
        #expect(try run("start-after-fork").standardOutput == "\(SIGSEGV)\n")
        let dumps = try dumps()
        #expect(dumps.count == 1 && dumps.allSatisfy { !$0.hasSuffix(".locked") })
    }

    /// Another process makes reports of what there is.
    private func sweep() throws {
        let result = try Subprocess.run([
            Products.executable("dump-convert"), "process", "--database", directory.path("db"),
        ])
        #expect(result.ending == .exited(0))
    }

    @Test("Early crashes are counted across launches, whoever made reports of them")
    func crashLoop() throws {
        func launch(_ way: String) throws -> String {
            try run("early-crash", [way]).standardOutput
        }
        #expect(try launch("null-write") == "0 early\n")
        #expect(try launch("abort") == "1 early\n")
        #expect(try launch("abort") == "loop of 2\n2 early\n")
        try sweep()
        #expect(try launch("abort") == "loop of 3\n3 early\n")
        #expect(try launch("none") == "loop of 4\n4 early\n")
        // It ended well.
        #expect(try launch("null-write") == "0 early\n")
        #expect(try launch("kill") == "1 early\n")
        // It was killed, which is no crash.
        #expect(try launch("none") == "0 early\n")
    }

    @Test("The hook for crash loops may ask, start and stop")
    func loopHook() throws {
        #expect(try run("early-crash", ["null-write"]).standardOutput == "0 early\n")
        let running = "crashes are captured"
        let stopped = "crashes are not captured: Epitaph was stopped"
        let result = try run("loop-hook")
        #expect(
            result.standardOutput
                == "\(running), loop of 1\n1 early\ncrashed: true\n\(stopped)\n\(stopped)\n")
        #expect(result.ending == .exited(0) && result.standardError == "")
    }

    @Test("A forked child that stops Epitaph ends its own capture and leaves its parent alone")
    func stoppingChild() throws {
        let result = try run("stopping-child")
        #expect(
            result.standardOutput == "child 7\nparent crashes are captured, true, true\n")
        #expect(result.ending == .exited(0) && result.standardError == "")
    }

    @Test("The event of a program that stops at once is on the disk")
    func brief() throws {
        for _ in 0..<5 { #expect(try run("brief").ending == .exited(0)) }
        let files = try #require(
            FileManager.default.enumerator(atPath: directory.path("db/events")))
        let texts = try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".ndjson") }.map {
            try String(contentsOfFile: directory.path("db/events/" + $0), encoding: .utf8)
        }
        #expect(texts.reduce(0) { $0 + $1.components(separatedBy: "\"brief\"").count - 1 } == 5)
    }

    @Test("An end in the middle of an upload is no failure of it: the next launch tries at once")
    func endWhileSending() throws {
        #expect(try run("test-crash", ["null-write"]).ending == .signalled(SIGSEGV))
        let result = try run("end-while-sending")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput == "finished(sent: 0, failed: 0, skipped: 1)\n")
        let database = try ReportDatabase(opening: directory.path("db"), ifMissing: .fail)
        let reports = try database.reports(.pending).reports
        #expect(reports.map(\.uploadAttempts) == [0])
    }

    @Test("A program can ask whether its last launch crashed, and why")
    func lastSession() throws {
        #expect(try run("last-session").standardOutput == "crashed: false\n")
        #expect(try run("test-crash", ["null-write"]).ending == .signalled(SIGSEGV))
        let lines = try run("last-session").standardOutput.split(separator: "\n")
        try #require(lines.count >= 5)
        #expect(lines[0] == "crashed: true")
        #expect(lines[1].hasPrefix("EpitaphVictim "))
        #expect(lines[2].hasPrefix("SIGSEGV"))
        #expect(lines[3] == "16 true")
        #expect(lines[4] == "test_crash_null_write EpitaphVictim")
        #expect(try run("test-crash", ["abort"]).ending == .signalled(SIGABRT))
        try sweep()
        #expect(try run("last-session").standardOutput.hasPrefix("crashed: true\n"))
        #expect(try run("last-session").standardOutput == "crashed: false\n")
    }

    @Test("Dumps in a crash directory that an operator chose are found by the next start")
    func crashDirectory() throws {
        let environment = [
            "EPITAPH_CRASH_DIRECTORY": directory.path("crashes"), "EPITAPH_CRASH_FILE_MODE": "0640",
        ]
        let crash = try run("test-crash", ["null-write"], environment: environment)
        #expect(crash.ending == .signalled(SIGSEGV))
        let dumps = try FileManager.default.contentsOfDirectory(
            atPath: directory.path("crashes"))
        #expect(dumps.count == 1)
        let early = try run("early-crash", ["none"], environment: environment)
        #expect(early.standardOutput == "1 early\n")
        // That one ended well.
        _ = try run("test-crash", ["abort"], environment: environment)
        let last = try run("last-session", environment: environment)
        #expect(last.standardOutput.hasPrefix("crashed: true\n"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path("crashes"))
                .allSatisfy { $0.hasSuffix(".locked") })
    }

    @Test("What waits in the database is found although an operator has chosen a directory since")
    func crashDirectoryChosenLater() throws {
        #expect(try run("test-crash", ["null-write"]).ending == .signalled(SIGSEGV))
        let environment = ["EPITAPH_CRASH_DIRECTORY": directory.path("crashes")]
        let last = try run("last-session", environment: environment)
        #expect(last.standardOutput.hasPrefix("crashed: true\n"))
    }

    /// How a test crash ends the process, and what its report says of the function.
    static let testCrashes: [(way: String, signal: Int32)] = [
        ("null-write", SIGSEGV), ("abort", SIGABRT), ("fatal-error", SIGILL), ("index", SIGILL),
        ("stack-overflow", SIGSEGV), ("illegal-instruction", SIGILL), ("arithmetic", SIGFPE),
        ("bus-error", SIGBUS), ("cxx-exception", SIGABRT), ("kill", SIGKILL),
        ("terminate", SIGTERM),
    ]

    @Test(
        "A test crash ends the program as it says, and crashes are recorded", arguments: testCrashes
    )
    func testCrash(_ way: String, _ signal: Int32) throws {
        let result = try run("test-crash", [way])
        #expect(result.ending == .signalled(signal), "\(result.standardOutput)")
        let isCrash = ![SIGKILL, SIGTERM].contains(signal)
        #expect(try dumps().contains { !$0.hasSuffix(".locked") } == isCrash)
    }

    @Test("A signal that ends the program is noted, and one that it handles stays its own")
    func notedSignals() throws {
        let first = try run("noted-signals")
        #expect(first.ending == .signalled(SIGTERM))
        let words = [
            "signalled(SIGTERM)", "SIGHUP is left to the program, and not noted when it comes",
            "SIGHUP came", "SIGTERM came from process \(first.processID)", "",
        ]
        #expect(try run("noted-signals").standardOutput == words.joined(separator: "\n"))
    }

    @Test("Other test endings end the program, too", arguments: ["exit", "immediate-exit"])
    func testExit(_ way: String) throws {
        #expect(try run("test-crash", [way]).ending == .exited(1))
    }

    @Test("A forked child calls what its parent's threads are calling, and neither dies nor hangs")
    func callsInChildren() throws {
        let result = try run("calls-in-children")
        #expect(result.standardOutput == "children [7]\n", "\(result.standardError)")
    }

    @Test("A lock that a thread of the parent had is free in a forked child, and only there")
    func forkedLock() throws {
        #expect(try run("fork-lock").standardOutput == "child 7\nparent true\n")
    }
}
