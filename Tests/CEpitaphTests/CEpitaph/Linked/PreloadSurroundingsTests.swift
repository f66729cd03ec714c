// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What libepitaph-preload.so leaves to a process: its runtime, its limits, another such library.
@Suite struct PreloadSurroundingsTests {
    @Test(
        "Go's runtime finds the auxiliary vector, and its handlers on its threads' stacks",
        arguments: [[], ["ANNOTATION_A"], ["ANNOTATION_A", "ANNOTATION_B"]])
    func goRuntime(_ settings: [String]) throws {
        let guest = try PreloadTests.Guest(source: "go_runtime.c", flags: ["-pthread"])
        let settings = Dictionary(uniqueKeysWithValues: settings.map { ("EPITAPH_\($0)", "a") })
        let without = try guest.runWithout([])
        let with = try guest.run([], settings)
        #expect(without.standardOutput.hasSuffix("thread: on its stack\nmain: on its stack\n"))
        #expect(with.standardOutput == without.standardOutput)
        #expect(with.ending == without.ending)
        #expect(guest.dumps().isEmpty)
    }

    @Test("So does Go's runtime in a library that the program loads later")
    func goLibrary() throws {
        let guest = try PreloadTests.Guest(
            source: "go_runtime.c", flags: ["-DHOST", "-ldl", "-pthread"])
        let library = guest.directory.path("libgo.so")
        try InstalledLibrary.run([
            "cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread",
            Products.packageRoot + "/Tests/LinkedPrograms/go_runtime.c", "-o", library,
        ])
        let without = try guest.runWithout([library])
        let with = try guest.run([library])
        #expect(without.standardOutput.hasSuffix("thread: on its stack\nmain: on its stack\n"))
        #expect(with.standardOutput == without.standardOutput)
        #expect(with.ending == without.ending)
    }

    @Test("A library that was loaded apart from the others (dlmopen) is a module, and once")
    func ownList() throws {
        let guest = try PreloadTests.Guest(source: "own_list.c", flags: ["-ldl"])
        let (library, source) = (guest.directory.path("libown.so"), guest.directory.path("own.c"))
        try "int crash(void) { return *(volatile int *)16; }".write(
            toFile: source, atomically: true, encoding: .utf8)
        try InstalledLibrary.run(["cc", "-shared", "-fPIC", source, "-o", library])
        let result = try guest.run([library])
        #expect(result.ending == .signalled(SIGSEGV))
        let snapshot = try guest.snapshot()
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
        let pointer = try #require(snapshot.exception?.registers?.instructionPointer)
        let holders = snapshot.modules.filter { $0.addressRange.contains(pointer) }
        #expect(holders.map(\.path) == [library])
        let starts = snapshot.modules.map(\.addressRange.lowerBound)
        #expect(Set(starts).count == starts.count)
    }

    @Test("Of two of them the first one works", arguments: ["libepitaph-preload.so", "other.so"])
    func two(_ name: String) throws {
        let guest = try PreloadTests.Guest()
        let other = guest.directory.path(name)
        try FileManager.default.copyItem(atPath: guest.library.preload, toPath: other)
        for list in [guest.library.preload + ":" + other, other + ":" + guest.library.preload] {
            let database = guest.directory.path("of-\(list.hashValue)")
            let result = try guest.run(
                ["fault"], preload: list, ["EPITAPH_DATABASE": database])
            #expect(result.ending == .signalled(SIGSEGV))
            #expect(guest.dumps(in: database).count == 1)
        }
    }

    /// Runs after a shell command, without the library and with it.
    private func run(
        after preparation: String, _ command: String, database: String? = nil
    ) throws -> (without: Subprocess, with: Subprocess, hasDatabase: Bool) {
        let guest = try PreloadTests.Guest()
        let script = "\(preparation); exec env $0 \(command)"
        let program = ["bash", "-c"]
        let without = try Subprocess.run(
            program + [script, "A=1", guest.program],
            environment: ["PROGRAM": guest.program])
        let with = try Subprocess.run(
            program + [script, "LD_PRELOAD=\(guest.library.preload)", guest.program],
            environment: [
                "PROGRAM": guest.program, "EPITAPH_DATABASE": database ?? guest.database,
            ])
        let hasDatabase = FileManager.default.fileExists(atPath: guest.database)
        return (without, with, hasDatabase)
    }

    @Test(
        "A program that may have little keeps it, and is told that nothing is recorded",
        arguments: ["ulimit -n 31", "ulimit -n 9", "ulimit -v 65535", "ulimit -d 65535"])
    func smallLimits(_ limit: String) throws {
        let runs = try run(after: limit, "\"$PROGRAM\" descriptors")
        #expect(runs.with.ending == runs.without.ending)
        #expect(runs.with.standardOutput == runs.without.standardOutput)
        #expect(runs.with.standardError.hasPrefix("epitaph: crashes are not recorded: "))
        #expect(!runs.hasDatabase)
    }

    @Test("A program that may have few files gets the first numbers", arguments: [32, 60, 67])
    func firstNumbers(_ limit: Int) throws {
        let runs = try run(after: "ulimit -n \(limit)", "\"$PROGRAM\" descriptors")
        #expect(runs.with.standardOutput == runs.without.standardOutput)
        #expect(runs.with.standardError == "")
        #expect(runs.hasDatabase)
    }

    @Test(
        "After a start that failed the program has its memory",
        arguments: ["true", "ulimit -f 1; trap '' XFSZ"])
    func failedStart(_ preparation: String) throws {
        let database = preparation == "true" ? "/dev/null/none" : nil
        let runs = try run(after: preparation, "cat /proc/self/statm", database: database)
        func pages(_ run: Subprocess) throws -> Int {
            try #require(run.standardOutput.split(separator: " ").first.flatMap { Int($0) })
        }
        #expect(runs.with.standardError.hasPrefix("epitaph: crashes are not recorded: "))
        // The library itself takes some 1.8 MB.
        #expect(try pages(runs.with) - pages(runs.without) < 1024)
    }
}
