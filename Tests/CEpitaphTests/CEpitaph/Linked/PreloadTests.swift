// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Programs that were not built with Epitaph, with libepitaph-preload.so.
@Suite struct PreloadTests {
    /// A program in a directory of its own, without Epitaph.
    struct Guest {
        let directory: TemporaryDirectory
        let library: InstalledLibrary
        let program: String

        init(
            name: String = "unchanged", source: String = "unchanged.c", flags: [String] = [],
            library: InstalledLibrary? = nil
        ) throws {
            directory = try TemporaryDirectory()
            self.library = try library ?? InstalledLibrary.glibc.get()
            program = directory.path(name)
            try InstalledLibrary.run(
                self.library.compiler + ["-D_GNU_SOURCE", "-g"]
                    + [Products.packageRoot + "/Tests/LinkedPrograms/" + source, "-o", program]
                    + flags)
        }

        var database: String { directory.path("db") }

        func run(
            _ words: [String], preload: String? = nil, _ settings: [String: String] = [:]
        ) throws -> Subprocess {
            let variables = [
                "LD_PRELOAD": preload ?? library.preload, "EPITAPH_DATABASE": database,
            ].merging(settings) { $1 }
            return try Subprocess.run([program] + words, environment: variables)
        }

        func runWithout(_ words: [String]) throws -> Subprocess {
            try Subprocess.run([program] + words)
        }

        func dumps(in database: String? = nil) -> [String] {
            Dummy.files(in: database ?? self.database).filter { !$0.hasSuffix(".locked") }
        }

        func snapshot() throws -> ProcessSnapshot {
            let name = try #require(dumps().first)
            let bytes = try #require(
                FileManager.default.contents(atPath: database + "/pending-dumps/" + name))
            return try IntermediateDump(ByteSlice(Array(bytes))).snapshot
        }
    }

    @Test(
        "A program ends and prints as without it, and each of its deaths leaves a dump",
        arguments: [
            ("fault", 1), ("abort", 1), ("exit", 0), ("errno", 0), ("handler", 1), ("alias", 1),
            ("ignoring", 1), ("overflow-thread", 1), ("child", 1), ("shared-stack", 1),
        ])
    func same(way: String, dumps: Int) throws {
        let guest = try Guest()
        let without = try guest.runWithout([way])
        let with = try guest.run([way])
        #expect(with.ending == without.ending)
        #expect(with.dumpedCore == without.dumpedCore)
        #expect(with.standardOutput == without.standardOutput)
        #expect(with.standardError == without.standardError)
        #expect(guest.dumps().count == dumps)
        #expect(guest.dumps().allSatisfy { $0.hasPrefix("unchanged@") })
        guard dumps > 0 else { return }
        let snapshot = try guest.snapshot()
        #expect(snapshot.damage.isEmpty || way == "overflow-thread", "\(snapshot.damage)")
    }

    @Test(
        "A musl program is covered by a library that was built with musl",
        .enabled(if: InstalledLibrary.hasMusl, "musl-gcc is missing"))
    func musl() throws {
        let guest = try Guest(library: InstalledLibrary.musl.get())
        for way in ["fault", "handler", "overflow-thread"] {
            let count = guest.dumps().count
            let without = try guest.runWithout([way])
            let with = try guest.run([way])
            #expect(with.ending == without.ending)
            #expect(with.standardOutput == without.standardOutput)
            #expect(guest.dumps().count == count + 1, "\(way)")
        }
        let seen = try guest.run(["environment"]).standardOutput
        #expect(!seen.contains("environ LD_PRELOAD") && !seen.contains("environ EPITAPH"))
    }

    @Test("Each way of virtual signal actions is the same with it and without")
    func virtualActions() throws {
        let absent = Products.packageRoot + "/Tests/GuestDummy/absent.c"
        let library = try InstalledLibrary.glibc.get()
        let guest = try Guest(
            source: "virtual_actions.c", flags: [absent, "-I\(library.prefix)/include"])
        for way in VirtualActionTests.ways {
            let database = guest.directory.path(way.name)
            let without = try guest.runWithout(["none", way.name])
            let with = try guest.run(["none", way.name], ["EPITAPH_DATABASE": database])
            #expect(with.ending == without.ending, "\(way.name)")
            #expect(with.standardOutput == without.standardOutput, "\(way.name)")
            #expect(guest.dumps(in: database).count == way.dumps, "\(way.name)")
        }
    }

    @Test("What is called before its constructor works, and a thread of that time is in the dump")
    func early() throws {
        let folder = try TemporaryDirectory()
        let library = folder.path("libearly.so")
        let source = Products.packageRoot + "/Tests/LinkedPrograms/early.c"
        try InstalledLibrary.run(["cc", "-shared", "-fPIC", source, "-o", library])
        let guest = try Guest(
            flags: ["-Wl,--no-as-needed", library, "-Wl,-rpath," + folder.path("")])
        let result = try guest.run(["early"])
        #expect(result.ending == .signalled(SIGSEGV), "\(result.standardError)")
        let snapshot = try guest.snapshot()
        #expect(snapshot.threads.count == 2)
        #expect(snapshot.threads.allSatisfy { $0.completeness == .complete })
    }

    @Test("A program with Epitaph of its own is left to that one")
    func linked() throws {
        let prefix = try InstalledLibrary.glibc.get().prefix
        for form in [InstalledLibraryTests.shared, [InstalledLibraryTests.archive, "-s"]] {
            let flags = form.map { $0.replacingOccurrences(of: "{prefix}", with: prefix) }
            let guest = try Guest(source: "dying.c", flags: ["-I\(prefix)/include"] + flags)
            let own = guest.directory.path("own")
            let result = try guest.run([own, "overflow-thread"])
            #expect(result.ending == .signalled(SIGSEGV))
            #expect(guest.dumps(in: own).count == 1)
            #expect(!FileManager.default.fileExists(atPath: guest.database))
        }
    }

    @Test("dump-convert run records a program's crash, and process makes a report of it")
    func run() throws {
        let guest = try Guest()
        let converter = Products.executable("dump-convert")
        let words = ["--library", guest.library.preload, "--database", guest.database]
        let result = try Subprocess.run(
            [converter, "run", "-s", "annotation.rack=12"] + words + [guest.program, "fault"])
        #expect(result.ending == .signalled(SIGSEGV))
        #expect(result.standardError == "")
        try InstalledLibrary.run([converter, "process", "--database", guest.database])
        let shown = try InstalledLibrary.run(
            [converter, "show", "--database", guest.database, "--no-symbols"])
        #expect(shown.contains("SIGSEGV") && shown.contains("rack"))
    }
}
