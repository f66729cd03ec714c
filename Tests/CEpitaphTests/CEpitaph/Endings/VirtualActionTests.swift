// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Tests/LinkedPrograms/virtual_actions.c with and without Epitaph: what it prints about its signal
/// actions, what its handlers do, and how it ends.
@Suite struct VirtualActionTests {
    /// A way for the program to go, and how many dumps there are of it.
    struct Way: CustomTestStringConvertible, Sendable {
        let name: String
        let dumps: Int

        var testDescription: String { name }
    }

    static let ways = [
        Way(name: "answers", dumps: 0), Way(name: "default", dumps: 1),
        Way(name: "reset-and-raise", dumps: 1), Way(name: "reset-and-return", dumps: 1),
        Way(name: "abort", dumps: 1), Way(name: "abort-returning", dumps: 1),
        // Twice recovered, then not: only that is a crash.
        Way(name: "recover", dumps: 1), Way(name: "recover-beside", dumps: 0),
        Way(name: "leave", dumps: 1), Way(name: "own-stack", dumps: 1),
        // The abort of a handler belongs to the crash that it handles.
        Way(name: "abort-inside", dumps: 1),
        // Recovered.
        Way(name: "abort-recovered", dumps: 0), Way(name: "nested", dumps: 0),
        Way(name: "ignored-between", dumps: 0),
        Way(name: "pending", dumps: 0), Way(name: "pending-beside", dumps: 0),
        Way(name: "awaited", dumps: 0), Way(name: "ticking", dumps: 0),
        Way(name: "together", dumps: 0),
        Way(name: "together-beside", dumps: 0), Way(name: "no-stack", dumps: 0),
        Way(name: "small-stack", dumps: 1), Way(name: "no-room", dumps: 1),
        Way(name: "no-room-far", dumps: 1), Way(name: "no-room-thread", dumps: 1),
        // The handler that is called once, then the end.
        Way(name: "once", dumps: 1), Way(name: "ignored", dumps: 0),
        // Twice handled, then not.
        Way(name: "requested", dumps: 1), Way(name: "requested-on-stack", dumps: 0),
        Way(name: "pending-default", dumps: 1), Way(name: "pending-twice", dumps: 1),
        Way(name: "vforked", dumps: 1), Way(name: "vforked-first", dumps: 1),
        // Child and parent.
        Way(name: "vforked-crash", dumps: 2), Way(name: "vforked-once", dumps: 2),
        Way(name: "vforked-twice", dumps: 2),
        Way(name: "forked", dumps: 1),
    ]

    static let forms: [[String]] =
        [InstalledLibraryTests.shared, [InstalledLibraryTests.archive]]
        + [["-static", InstalledLibraryTests.archive]]

    private static func compile(
        _ flags: [String], of name: String = "virtual_actions", to program: String
    ) throws {
        let library = try InstalledLibrary.glibc.get()
        let source = Products.packageRoot + "/Tests/LinkedPrograms/\(name).c"
        try InstalledLibrary.run(
            library.compiler + ["-D_GNU_SOURCE", "-g", "-fno-stack-clash-protection", source]
                + ["-o", program, "-I\(library.prefix)/include"]
                + flags.map { $0.replacingOccurrences(of: "{prefix}", with: library.prefix) })
    }

    @Test(
        "A program finds its own actions, its handlers run as the kernel runs them, and it ends as without us",
        arguments: ways)
    func same(way: Way) throws {
        let programs = try Self.programs.get()
        let without = try Subprocess.run([programs[0], "none", way.name])
        for program in programs {
            let directory = try TemporaryDirectory()
            let with = try Subprocess.run([program, directory.path("db"), way.name])
            #expect(with.ending == without.ending, "\(program)")
            #expect(with.dumpedCore == without.dumpedCore, "\(program)")
            #expect(with.standardOutput == without.standardOutput, "\(program)")
            #expect(with.standardError == without.standardError, "\(program)")
            #expect(
                try Dummy.crashes(in: directory.path("db")).count == way.dumps, "\(program)")
        }
    }

    /// The program in each of the forms, made once.
    static let programs = Result {
        let directory = Products.directory + "/VirtualActions.build"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        return try forms.enumerated().map { number, form in
            let path = "\(directory)/virtual-\(number)"
            try compile(form, to: path)
            return path
        }
    }

    @Test(
        "Process 1 lives on and dies as without us",
        .enabled(if: getuid() == 0, "only root can make a process 1"),
        arguments: ["forked-init-", "init-"],
        [("raising", 0), ("meeting", 0), ("meeting-abort", 0), ("aborting", 1), ("trapping", 1)])
    func asInit(place: String, event: (name: String, crashes: Int)) throws {
        let way = place + event.name
        for program in try Self.programs.get() {
            let directory = try TemporaryDirectory()
            let without = try Subprocess.run([program, "none", way])
            let with = try Subprocess.run([program, directory.path("db"), way])
            #expect(without.ending == .exited(0) && with.ending == .exited(0), "\(program)")
            #expect(with.standardOutput == without.standardOutput, "\(program)")
            #expect(
                try Dummy.crashes(in: directory.path("db")).count == event.crashes, "\(program)")
        }
    }

    @Test(
        "A program finds its own alternate stacks, and the handler that it made one for runs there",
        arguments: forms)
    func stacks(form: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("stacks")
        try Self.compile(form, of: "virtual_stacks", to: program)
        for (way, dumps) in [
            ("answers", 0), ("earlier", 0), ("overflow", 1), ("overflow-thread", 1),
        ] {
            let database = directory.path(way)
            let without = try Subprocess.run([program, "none", way])
            let with = try Subprocess.run([program, database, way])
            #expect(with.ending == without.ending, "\(way)")
            #expect(with.standardOutput == without.standardOutput, "\(way)")
            #expect(try Dummy.crashes(in: database).count == dumps, "\(way)")
        }
    }

    @Test(
        "A program repairs faults behind a library that has a table of the program's actions",
        arguments: ["earlier", "later"],
        [InstalledLibraryTests.shared, [InstalledLibraryTests.archive]])
    func chaining(when: String, form: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("chaining")
        let library = directory.path("libchaining.so")
        try Self.compile(["-DCHAINING", "-shared", "-fPIC"], of: "chaining", to: library)
        try Self.compile([library] + form, of: "chaining", to: program)
        let result = try Subprocess.run([program, directory.path("database"), when])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "repaired\n")
        #expect(try Dummy.crashes(in: directory.path("database")).isEmpty)
    }

    // Masks, stack, floating-point registers and what its changes to them do.
    @Test("A handler that repairs a fault finds what it finds without us", arguments: forms)
    func repaired(form: [String]) throws {
        let directory = try TemporaryDirectory()
        let (program, database) = (directory.path("repaired"), directory.path("db"))
        try Self.compile(form, of: "repaired_faults", to: program)
        let without = try Subprocess.run([program, "none"])
        let with = try Subprocess.run([program, database])
        #expect(without.ending == .exited(0) && with.ending == .exited(0))
        #expect(with.standardOutput == without.standardOutput)
        #expect(try Dummy.crashes(in: database).isEmpty)
    }

    @Test("The same on aarch64, in an emulator")
    func repairedElsewhere() throws {
        let directory = try TemporaryDirectory()
        let (program, database) = (directory.path("repaired"), directory.path("db"))
        try InstalledLibrary.run(
            ["aarch64-linux-gnu-gcc", "-D_GNU_SOURCE", "-g", "-static", "-pthread", "-o", program]
                + [Products.packageRoot + "/Tests/LinkedPrograms/repaired_faults.c"]
                + Products.cHeaderOptions + AArch64Tests.objects)
        let without = try Subprocess.run(AArch64Tests.emulator + [program, "none"])
        let with = try Subprocess.run(AArch64Tests.emulator + [program, database])
        #expect(without.ending == .exited(0) && with.ending == .exited(0))
        #expect(with.standardOutput == without.standardOutput)
        #expect(try Dummy.crashes(in: database).isEmpty)
    }

    @Test("A dump is sealed when the handler that gets the signal has no room on its full stack")
    func sealed() throws {
        let directory = try TemporaryDirectory()
        let (program, database) = (directory.path("virtual"), directory.path("db"))
        try Self.compile([InstalledLibraryTests.archive], to: program)
        // Wherever in its page the stack ends, which follows from the size of the environment.
        for padding in Sweep.sample(stride(from: 0, to: 4096, by: 96), oneOf: 5) {
            try? FileManager.default.removeItem(atPath: database)
            let result = try Subprocess.run(
                ["setarch", "--addr-no-randomize", program, database, "no-room"],
                environment: ["PADDING": String(repeating: "x", count: padding)])
            #expect(result.ending == .signalled(SIGSEGV))
            let files = Dummy.files(in: database)
            #expect(files.count == 1 && !files[0].hasSuffix(".locked"), "\(padding)")
        }
    }

    @Test(
        "A dump is sealed when the handler has no room and the fault is far above the stack pointer",
        arguments: ["no-room-far", "no-room-thread"])
    func sealedFar(way: String) throws {
        let directory = try TemporaryDirectory()
        let (program, database) = (directory.path("virtual"), directory.path("db"))
        try Self.compile([InstalledLibraryTests.archive], to: program)
        let result = try Subprocess.run([program, database, way])
        #expect(result.ending == .signalled(SIGSEGV))
        let files = Dummy.files(in: database)
        #expect(files.count == 1 && !files[0].hasSuffix(".locked"))
    }

    @Test("A crash while other threads change the action meets one that the program had installed")
    func changing() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("virtual")
        try Self.compile(InstalledLibraryTests.shared, to: program)
        for round in 1...10 {
            let database = directory.path("db\(round)")
            let result = try Subprocess.run([program, database, "changing"])
            // A handler that resets the signal and raises it may meet one of the others again.
            let lines = result.standardOutput.split(separator: "\n")
            let leaves = lines.last == "leaves"
            #expect(lines.dropLast(leaves ? 1 : 0).allSatisfy { $0 == "resets and raises" })
            #expect(result.ending == (leaves ? .exited(7) : .signalled(SIGSEGV)))
            #expect(try !Dummy.crashes(in: database).isEmpty)
        }
    }
}
