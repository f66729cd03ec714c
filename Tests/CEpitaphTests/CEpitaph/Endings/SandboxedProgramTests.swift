// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import Foundation
import Testing

/// Tests/LinkedPrograms/sandboxed.c with and without Epitaph: a sandbox of the program's own refuses
/// calls that a death needs.
@Suite struct SandboxedProgramTests {
    static let faults = ["fault", "abort", "sent-11", "sent-6", "sent-4", "sent-5"]

    /// Nothing but a call that is refused makes SIGABRT: a shell sees the same status.
    static let exits = [
        "actions abort", "actions sent-6", "all sent-6",
    ]

    private static func compile(to program: String) throws {
        let library = try InstalledLibrary.glibc.get()
        let source = Products.packageRoot + "/Tests/LinkedPrograms/sandboxed.c"
        let flags = [InstalledLibraryTests.archive].map {
            $0.replacingOccurrences(of: "{prefix}", with: library.prefix)
        }
        try InstalledLibrary.run(
            library.compiler + ["-D_GNU_SOURCE", "-g", "-pthread", source, "-o", program]
                + ["-I\(library.prefix)/include"] + flags)
    }

    /// Ends the program under a sandbox; how it ended, and how many crashes it left.
    private static func end(_ arguments: [String]) throws -> (
        ending: Subprocess.Ending, crashes: Int
    ) {
        let directory = try TemporaryDirectory()
        let (program, database) = (directory.path("sandboxed"), directory.path("database"))
        try compile(to: program)
        let ending = try Subprocess.run([program, database] + arguments).ending
        return (ending, try crashes(in: database))
    }

    private static func preloaded() throws -> PreloadTests.Guest {
        try PreloadTests.Guest(
            name: "sandboxed", source: "sandboxed.c", flags: ["-DPRELOADED", "-pthread"])
    }

    private static func crashes(in database: String) throws -> Int {
        try Dummy.files(in: database).filter { name in
            let path = database + "/pending-dumps/" + name
            let data = try #require(FileManager.default.contents(atPath: path))
            guard case .crash = try IntermediateDump(.init(Array(data))).contents else {
                return false
            }
            return true
        }.count
    }

    @Test("A program whose sandbox answers each call with SIGSYS ends as without us, with a report")
    func trapping() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("sandboxed")
        try Self.compile(to: program)
        for end in ["fault", "abort"] {
            let database = directory.path(end)
            let without = try Subprocess.run([program, "none", "trapping", end])
            let with = try Subprocess.run([program, database, "trapping", end])
            #expect(without.ending == .signalled(end == "fault" ? SIGSEGV : SIGSYS))
            #expect(with.ending == without.ending, "\(end)")
            #expect(try Self.crashes(in: database) == 1, "\(end)")
        }
    }

    @Test(
        "A program whose sandbox refuses what a death needs ends as without us, with a report",
        arguments: ["sending", "timers", "actions", "all"])
    func same(filter: String) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("sandboxed")
        try Self.compile(to: program)
        for end in Self.faults {
            for handler in [[], ["handler"]] {
                let arguments = [filter, end] + handler
                let name = arguments.joined(separator: " ")
                let database = directory.path(arguments.joined(separator: "-"))
                let without = try Subprocess.run([program, "none"] + arguments)
                let with = try Subprocess.run([program, database] + arguments)
                let ending = Self.exits.contains(name) ? .exited(128 + SIGABRT) : without.ending
                #expect(with.ending == ending, "\(name)")
                #expect(with.standardOutput == without.standardOutput, "\(name)")
                #expect(try Self.crashes(in: database) == 1, "\(name)")
            }
        }
    }

    @Test(
        "A preloaded program that is sent SIGABRT ends by it, although its sandbox refuses rt_sigaction",
        arguments: ["actions", "most"])
    func abortOfPreloaded(filter: String) throws {
        let guest = try Self.preloaded()
        for (index, end) in ["sent-6", "abort", "fault"].enumerated() {
            let without = try guest.runWithout(["-", filter, end])
            let with = try guest.run(["-", filter, end])
            #expect(with.ending == without.ending, "\(end)")
            #expect(try Self.crashes(in: guest.database) == index + 1, "\(end)")
        }
    }

    @Test("SIGABRT in a thread that blocks every other signal ends the process, with a report")
    func maskedAbort() throws {
        let (ending, crashes) = try Self.end(["other", "masked-abort"])
        #expect(ending == .signalled(SIGABRT))
        #expect(crashes == 1)
    }

    @Test("Threads and children come and go where a filter kills for calls of ours alone")
    func work() throws {
        let guest = try Self.preloaded()
        let arguments = ["-", "killing", "work"]
        #expect(try guest.runWithout(arguments).ending == .exited(3))
        #expect(try guest.run(arguments).ending == .exited(3))
        #expect(try Self.crashes(in: guest.database) == 0)
    }

    @Test("A clean exit in a sandbox that refuses everything else stays one, and has no report")
    func exit() throws {
        let (ending, crashes) = try Self.end(["all", "exit"])
        #expect(ending == .exited(3))
        #expect(crashes == 0)
    }
}
