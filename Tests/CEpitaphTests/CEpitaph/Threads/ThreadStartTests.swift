// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What it costs a program that its threads begin with an alternate stack.
@Suite struct ThreadStartTests {
    private static func run(
        _ name: String, _ arguments: [String], deadlineSeconds: Double = 60
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let program = directory.path(name)
        try LinkedLibrary.get().compile(name, to: program)
        return try run(
            program, in: directory, arguments, deadlineSeconds: deadlineSeconds)
    }

    /// The words it prints; it must end well.
    private static func run(
        _ program: String, in directory: TemporaryDirectory, _ arguments: [String],
        deadlineSeconds: Double = 60
    ) throws -> [String] {
        let database = arguments.first == "none" ? "none" : directory.path("db")
        let result = try Subprocess.run(
            [program, database] + arguments.drop { $0 == "none" }, deadlineSeconds: deadlineSeconds)
        try #require(result.ending == .exited(0), "\(arguments): \(result.standardError)")
        return result.standardOutput.split { $0 == " " || $0 == "\n" }.map(String.init)
    }

    @Test(
        "A new thread runs while its maker holds the allocator's lock and waits for it",
        arguments: [["posix"], ["c11"], ["posix", "40"], ["c11", "40"]])
    func allocator(_ arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("allocating")
        try LinkedLibrary.get().compile("allocating", to: program)
        for _ in 0..<(5 * testRounds) {
            _ = try Self.run(program, in: directory, arguments, deadlineSeconds: 10)
        }
    }

    @Test("Twenty threads of a process with locked memory lock a few MiB more than without us")
    func lockedMemory() throws {
        let without = try Self.run("locking", ["none"]).compactMap { Int($0) }
        let with = try Self.run("locking", []).compactMap { Int($0) }
        try #require(without.count == 2 && with.count == 2)
        // A stack of 72 KiB each, its guard included.
        #expect(with[0] - without[0] <= 20 * 72 + 512)
        #expect(with[1] - without[1] <= 20 * 72 + 512)
    }

    @Test(
        "A thousand threads that begin and end again and again leave nothing behind",
        arguments: [
            ["return"], ["exit"], ["cancel"], ["own-stack"], ["return", "40"], ["exit", "40"],
        ])
    func churn(_ arguments: [String]) throws {
        let rounds = Sweep.isWhole ? "50" : "14"
        let words = [arguments[0], rounds] + arguments.dropFirst()
        let numbers = try Self.run("churning", words, deadlineSeconds: 120).compactMap { Int($0) }
        try #require(numbers.count == 4)
        // Mappings and pages after ten times, and at the end.
        #expect(abs(numbers[2] - numbers[0]) < 50, "\(numbers)")
        #expect(abs(numbers[3] - numbers[1]) < 100, "\(numbers)")
    }

    @Test("No forked child waits for a lock that its parent held", arguments: ["fork", "clone"])
    func forks(_ how: String) throws {
        let failures = try Self.run("forking", [how], deadlineSeconds: 600)
        #expect(failures == ["0"])
    }

    @Test("A start without a clock waits no longer for a thread that takes no signal")
    func noClock() throws {
        #expect(try Self.run("offered", ["no-clock"]) == ["ok"])
    }

    @Test(
        "Threads that were there get their stacks at each start, whoever else sends the signal",
        arguments: ["no-queue", "profiled"])
    func offers(_ how: String) throws {
        #expect(try Self.run("offered", [how], deadlineSeconds: 120) == ["ok"])
    }
}
