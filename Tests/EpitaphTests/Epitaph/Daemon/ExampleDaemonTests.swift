// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite struct ExampleDaemonTests {
    /// A way to die, the signal it ends in, and the function it happens in.
    struct Death {
        let way: String
        let signal: Int32
        let function: String
    }

    #if DEBUG
        private static let isOptimised = false
    #else
        private static let isOptimised = true
    #endif

    static let deaths = [
        Death(way: "null-write", signal: SIGSEGV, function: "crashNullWrite"),
        Death(way: "abort", signal: SIGABRT, function: "abort"),
        Death(way: "fatal-error", signal: SIGILL, function: "assertionFailure"),
        // Optimised, the trap is in the function itself.
        Death(
            way: "index", signal: SIGILL, function: isOptimised ? "crashIndex" : "assertionFailure"),
        Death(way: "stack-overflow", signal: SIGSEGV, function: "crashStackOverflow"),
        Death(way: "in-task", signal: SIGSEGV, function: "crashNullWrite"),
    ]

    /// Lets a daemon crash, starts it again, and returns the path of the minidump the second launch
    /// made.
    private func crashAndRestart(_ way: String, _ signal: Int32, in directory: TemporaryDirectory)
        throws -> String
    {
        let database = directory.path("db")
        let first = try Daemon(database: database, in: directory)
        let client = try LineClient(port: first.port)
        #expect(client.ask("add apples 3") == "3")
        #expect(client.ask("add pears 4") == "4")
        #expect(client.ask("total") == "7")
        #expect(client.ask("note user bob") == "noted")
        #expect(client.ask("crash \(way)") == "")
        #expect(first.wait() == .signalled(signal))

        let second = try Daemon(database: database, in: directory)
        #expect(second.greeting.hasPrefix("the last launch crashed: report "))
        // Its log says why, without the report being read.
        #expect(second.greeting.contains("\n  example-daemon "))
        #expect(second.greeting.contains("\n    Signal "))
        #expect(second.greeting.contains("\n  Crashing thread "))
        #expect(second.greeting.contains(#/\n +#\d+ .* at [A-Za-z]+\.swift:\d+/#))
        #expect(try LineClient(port: second.port).ask("quit") == "")
        #expect(second.wait() == .exited(0))
        let left = try FileManager.default.contentsOfDirectory(atPath: database + "/pending-dumps")
        // The clean end of the second launch.
        #expect(left.count == 1 && left.allSatisfy { $0.hasSuffix(".locked") }, "\(left)")
        let reports = try FileManager.default.contentsOfDirectory(atPath: database + "/pending")
            .filter { $0.hasSuffix(".dmp") }
        #expect(reports.count == 1)
        return database + "/pending/" + (try #require(reports.first))
    }

    @Test("A launch is told that the last one was killed, and nothing of one that ended well")
    func killed() throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        let first = try Daemon(database: database, in: directory)
        kill(first.processID, SIGKILL)
        #expect(first.wait() == .signalled(SIGKILL))
        let second = try Daemon(database: database, in: directory)
        #expect(second.greeting.hasPrefix(Self.killed))
        #expect(try LineClient(port: second.port).ask("quit") == "")
        #expect(second.wait() == .exited(0))
        let third = try Daemon(database: database, in: directory)
        #expect(third.greeting == "")
        #expect(try LineClient(port: third.port).ask("quit") == "")
        #expect(third.wait() == .exited(0))
    }

    @Test("A launch is told of a crash, and of a kill, that another process has swept, and once")
    func sweptByAnother() throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        func sweep() throws -> String {
            try Subprocess.run([
                Products.executable("dump-convert"), "process", "--database", database,
            ]).standardOutput
        }
        let first = try Daemon(database: database, in: directory)
        #expect(try LineClient(port: first.port).ask("crash null-write") == "")
        #expect(first.wait() == .signalled(SIGSEGV))
        let report = try #require(try sweep().split(separator: " ").first)
        let second = try Daemon(database: database, in: directory)
        #expect(second.greeting.hasPrefix("the last launch crashed: report \(report)\n"))
        kill(second.processID, SIGKILL)
        #expect(second.wait() == .signalled(SIGKILL))
        #expect(try sweep() == "")
        let third = try Daemon(database: database, in: directory)
        #expect(third.greeting.hasPrefix(Self.killed))
        #expect(try LineClient(port: third.port).ask("quit") == "")
        #expect(third.wait() == .exited(0))
    }

    private static let killed = "the last launch ended without a crash record: killed, or by _exit"

    private func lldb(_ minidump: String, _ commands: [String]) throws -> String {
        try Subprocess.run(
            [Products.packageRoot + "/Scripts/lldb/open", minidump, "-b"]
                + commands.flatMap { ["-o", $0] }, deadlineSeconds: 120
        ).standardOutput
    }

    @Test("A crash of the daemon is a report on its next launch, and lldb shows where")
    func crashes() throws {
        let directories = try Self.deaths.map { _ in try TemporaryDirectory() }
        defer { withExtendedLifetime(directories) {} }
        let minidumps = try zip(Self.deaths, directories).map { death, directory in
            try crashAndRestart(death.way, death.signal, in: directory)
        }
        // One lldb for all of them reads the daemon's debug information once.
        let commands = minidumps.flatMap { ["-o", "target create --core \($0)", "-o", "bt 8"] }
        let output = try Subprocess.run(
            ["/usr/bin/lldb", "-b"] + commands, deadlineSeconds: 120
        ).standardOutput
        let stacks = output.components(separatedBy: "(lldb) bt 8\n").dropFirst()
        try #require(stacks.count == Self.deaths.count, "\(output)")
        for (death, text) in zip(Self.deaths, stacks) {
            // In a program that ThreadSanitizer is in, functions of its own may be on top.
            let lines = text.split(separator: "\n").filter {
                $0.contains("frame #") && !$0.contains("`::__tsan_") && !$0.contains(" at tsan_")
            }
            // Frames of the function that raises an abort come before it.
            let top = lines.prefix(death.way == "abort" ? 4 : 1).joined(separator: "\n")
            #expect(top.contains(death.function), "\(death.way): \(text)")
            #expect(lines.count >= 4, "\(death.way): \(text)")
        }
    }

    @Test("The report has what the daemon noted before it crashed")
    func breadcrumbs() throws {
        let directory = try TemporaryDirectory()
        let minidump = try crashAndRestart("null-write", SIGSEGV, in: directory)
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--json", "--no-symbols", minidump,
        ])
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(shown.standardOutput.utf8))
                as? [String: Any])
        let breadcrumbs = try #require(report["breadcrumbs"] as? [[String: Any]])
        func messages(_ category: String) -> [String] {
            breadcrumbs.filter { $0["category"] as? String == category }
                .compactMap { $0["message"] as? String }
        }
        #expect(messages("network").first?.hasPrefix("listening on port ") == true)
        #expect(
            messages("request") == [
                "add apples 3", "add pears 4", "total", "note user bob", "crash null-write",
            ])
        let spans = breadcrumbs.compactMap { $0["secondsBefore"] as? Double }
        #expect(spans.count >= 6 && spans == spans.sorted(by: >) && spans.allSatisfy { $0 > 0 })
    }

    @Test("lldb and PyPI's minidump see the threads with their names, the modules and the memory")
    func independentReaders() throws {
        let directory = try TemporaryDirectory()
        let minidump = try crashAndRestart("null-write", SIGSEGV, in: directory)
        let threads = try lldb(minidump, ["thread list", "bt"])
        #expect(threads.contains("stop reason = signal SIGSEGV"))
        for worker in 1...4 { #expect(threads.contains("name = 'worker-\(worker)'"), "\(threads)") }
        #expect(threads.contains("name = 'example-daemon'"))
        let frames = threads.split(separator: "\n").filter { $0.contains("frame #") }
        #expect(frames.first?.contains("CrashWay.swift") == true)
        // Optimized, it is part of another function.
        #if DEBUG
            #expect(frames.contains { $0.contains("Session") && $0.contains("answer") })
        #endif

        let listing = try Subprocess.run([
            Products.packageRoot + "/.build/python/bin/python",
            Products.fixture("python/list_minidump.py"), minidump,
        ])
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(listing.standardOutput.utf8))
                as? [String: Any])
        let ids = try #require(json["threads"] as? [[String: Any]]).compactMap { $0["id"] as? Int }
        #expect(!ids.isEmpty)
        for id in ids { #expect(threads.contains("tid = \(id),")) }
        #expect(threads.split(separator: "\n").count { $0.contains("tid = ") } == ids.count)
        let modules = try #require(json["modules"] as? [[String: Any]]).compactMap {
            $0["name"] as? String
        }
        #expect(modules.first == Products.executable("example-daemon"))
        #expect(modules.contains { $0.hasSuffix("/libc.so.6") })
        let memory = try #require(json["memory"] as? [[String: Any]])
        #expect(memory.count >= ids.count)
    }
}
