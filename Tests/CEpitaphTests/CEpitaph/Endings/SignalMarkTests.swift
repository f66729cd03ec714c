// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Deaths by signals with the default action: the same as without Epitaph, and told apart.
@Suite struct SignalMarkTests {
    private func database(_ run: Dummy) throws -> ReportDatabase {
        try ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
    }

    private func ends(_ run: Dummy) throws -> [LaunchEnd] {
        try DumpSweep(database(run)).run().entries.compactMap { entry in
            if case .ended(let end) = entry.outcome { end } else { nil }
        }
    }

    @Test(
        "A process dies of the signal, and the next launch knows which it was",
        arguments: [
            ("end-by-term", SIGTERM), ("end-by-hangup", SIGHUP), ("end-by-interrupt", SIGINT),
            ("end-by-user-signal", SIGUSR2), ("end-by-alarm", SIGALRM), ("end-by-pipe", SIGPIPE),
        ])
    func marked(way: String, signal: Int32) throws {
        let run = try Dummy(way, threads: 2, ["marks"])
        #expect(run.result.ending == .signalled(signal))
        #expect(try ends(run) == [.signalled(Signal(rawValue: signal))])
        let launch = try #require(try database(run).launchHistory(of: "org.example.dummy").first)
        #expect(launch.end == .signalled(Signal(rawValue: signal)))
        #expect(launch.runTime != nil)
        let bySelf = "process \(run.result.processID) sent the signal"
        let isSent = way != "end-by-alarm"
        #expect(launch.evidence == (isSent ? bySelf : "the kernel sent the signal"))
    }

    @Test("Without the option nothing is marked, and the death is the same")
    func unmarked() throws {
        let run = try Dummy("end-by-term")
        #expect(run.result.ending == .signalled(SIGTERM))
        #expect(try ends(run) == [.killed])
    }

    @Test("A signal that is ignored stays so, and a handler that comes later is called")
    func displaced() throws {
        let ignoring = try Dummy("outlive-term", ["marks", "ignores-term"])
        #expect(ignoring.result.ending == .exited(7))
        #expect(try ends(ignoring) == [.cleanly])
        let handling = try Dummy("handle-term-later", ["marks"])
        #expect(handling.result.ending == .exited(7))
        #expect(try ends(handling) == [.killed])
    }

    @Test(
        "A child that dies of the signal marks nothing of its parent's",
        arguments: ["lose-forked-child", "lose-vforked-child"])
    func children(_ way: String) throws {
        let run = try Dummy(way, ["marks"])
        #expect(run.result.ending == .signalled(SIGKILL))
        #expect(try ends(run) == [.killed])
    }

    @Test("After a stop the default action is in force again, and the clean end stays")
    func stopped() throws {
        let run = try Dummy("stop-then-term", ["marks"])
        #expect(run.result.ending == .signalled(SIGTERM))
        #expect(try ends(run) == [.cleanly])
    }

    @Test("A memory warning outlives the process that was killed after it")
    func memoryWarning() throws {
        let run = try Dummy("warn-of-memory")
        #expect(run.result.ending == .signalled(SIGKILL))
        #expect(try ends(run) == [.killed])
        let history = try database(run).launchHistory(of: "org.example.dummy")
        #expect(history.map(\.hadMemoryWarning) == [true])
        let other = try Dummy("sigkill")
        _ = try ends(other)
        let none = try database(other).launchHistory(of: "org.example.dummy")
        #expect(none.map(\.hadMemoryWarning) == [false])
    }

    @Test("A process that became another program, and runs on, is no living owner")
    func exec() throws {
        let directory = try TemporaryDirectory()
        let process = try Subprocess.spawn(
            [Victim.c.path, directory.path("db"), "become-sleep", "0"],
            output: directory.path("output"), error: directory.path("output"))
        defer { _ = Subprocess.wait(for: process, deadlineSeconds: 0) }
        let isSleeping = eventually {
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == "sleep\n"
        }
        try #require(isSleeping)
        let database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
        #expect(try DumpSweep(database).run().entries.map(\.outcome) == [.ended(.exec)])
        #expect(Dummy.files(in: directory.path("db")).isEmpty)
    }
}
