// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
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

        func snapshot(_ name: String? = nil) throws -> ProcessSnapshot {
            let name = try #require(name ?? dumps().first)
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
            ("descriptors", 0), ("exit-beside-crash", 1),
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
        "A program that repaired its fault and became another, or ended, has not crashed",
        arguments: ["execvp", "SYS_execve", "SYS_execveat", "SYS_exit_group"])
    func becomesAnother(way: String) throws {
        let guest = try Guest()
        let run = try guest.run(["repairs-and-executes", way, "/bin/echo", "another"])
        #expect(run.ending == .exited(0))
        #expect(run.standardOutput == (way == "SYS_exit_group" ? "" : "another\n"))
        #expect(try Dummy.crashes(in: guest.database).isEmpty)
    }

    @Test(
        "A vfork child that ends, or becomes another program, does not wait for a crash beside it",
        arguments: [[], ["/bin/echo", "another"]])
    func besideVfork(words: [String]) throws {
        let guest = try Guest()
        let run = try guest.run(["crash-beside-vfork"] + words)
        #expect(run.ending == .signalled(SIGSEGV))
        // The capture waits half a second for the thread that waits for the child.
        let snapshot = try guest.snapshot()
        #expect(snapshot.threads.count == 2)
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage)")
    }

    @Test("The program's own allocator is not called before its main")
    func ownAllocator() throws {
        let guest = try Guest(name: "early", source: "early_malloc.c", flags: ["-rdynamic"])
        let without = try guest.runWithout([])
        // The later ones find the files of the earlier ones.
        for way in ["crash", "exit", "crash", "exit", "crash"] {
            let run = try guest.run([way], ["EPITAPH_COMMAND_LINE": "yes"])
            #expect(run.ending == (way == "crash" ? .signalled(SIGSEGV) : .exited(0)))
            #expect(run.standardOutput == without.standardOutput)
        }
        #expect(guest.dumps().count == 3)
    }

    @Test("A clock that the program has in the place of libc's changes no time of a report")
    func ownClock() throws {
        let guest = try Guest(name: "own-clock", source: "own_clock.c", flags: ["-rdynamic"])
        #expect(try guest.run([]).ending == .signalled(SIGSEGV))
        let process = try guest.snapshot().process
        let start = try #require(process.startTime)
        let end = try #require(process.snapshotTime)
        #expect((0..<600).contains(end.seconds(since: start)))
        #expect(try #require(process.uptimeNanoseconds) < 600_000_000_000)
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
            #expect(try Dummy.crashes(in: database).count == way.dumps, "\(way.name)")
        }
    }

    @Test(
        "The line that says why nothing is recorded gives the program no signal",
        arguments: [
            // A pipe without a reader, and a file at its size limit.
            "exec 2> >(exit 0); sleep 0.3; EPITAPH_DATABASE=/dev/null/none",
            "exec 2> errors; ulimit -f 0;",
        ])
    func unwritableLine(_ preparations: String) throws {
        let guest = try Guest()
        let script = "cd \(guest.directory.path); \(preparations) "
        let result = try Subprocess.run(
            [
                "bash", "-c",
                script + "LD_PRELOAD=\(guest.library.preload) exec \(guest.program) exit",
            ],
            environment: ["EPITAPH_DATABASE": guest.database])
        #expect(result.ending == .exited(5))
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: guest.database + "/pending-dumps")
        #expect(files ?? [] == [])
    }

    @Test("A program that was started with every signal ignored has its handlers")
    func ignoringAll() throws {
        let guest = try Guest()
        let ignoring = ["env", "--ignore-signal"]
        let without = try Subprocess.run(ignoring + [guest.program, "handler"])
        let with = try Subprocess.run(
            ignoring + ["LD_PRELOAD=\(guest.library.preload)", guest.program, "handler"],
            environment: ["EPITAPH_DATABASE": guest.database])
        #expect(without.standardOutput == "handler\n" && with.standardOutput == "handler\n")
        #expect(with.ending == without.ending)
    }

    /// Each mapping costs every fork(3), and a guard page splits one into two.
    @Test("Its memory is in two mappings with a guard page, and the library in three")
    func fewMappings() throws {
        let directory = try TemporaryDirectory()
        func mappings(_ environment: [String: String]) throws -> [Substring] {
            let cat = try Subprocess.run(
                ["/bin/cat", "/proc/self/maps"], environment: environment)
            return cat.standardOutput.split(separator: "\n")
        }
        func guardPages(_ mappings: [Substring]) -> Int {
            mappings.count { $0.contains(" ---p ") }
        }
        let preload = try InstalledLibrary.glibc.get().preload
        let with = try mappings([
            "LD_PRELOAD": preload, "EPITAPH_DATABASE": directory.path("db"),
        ])
        #expect(guardPages(with) - guardPages(try mappings([:])) == 2)
        // What is executed and constant, what the loader has bound, and what is written.
        #expect(with.count { $0.hasSuffix(preload) } == 3)
    }

    private func numbers(_ run: Subprocess) -> [Int] {
        run.standardOutput.split(separator: "\n").compactMap { Int($0) }
    }

    /// Each page fault costs a child almost as much as each mapping.
    @Test("A child that does nothing, and may give up its rights, has at most 4 page faults more")
    func childsFaults() throws {
        let guest = try Guest()
        // How many pages around one the kernel maps with it depends on the address, which is each
        // time another: means of 50 are within 0.2 of each other, the fewest and the most are not.
        func mean(_ run: () throws -> Subprocess) throws -> Double {
            let faults = try (0..<50).compactMap { _ in numbers(try run()).first }
            try #require(faults.count == 50)
            return Double(faults.reduce(0, +)) / 50
        }
        let without = try mean { try guest.runWithout(["childs-faults"]) }
        let with = try mean { try guest.run(["childs-faults"]) }
        #expect(with - without <= 4)
    }

    @Test("A child has no copy of the memory in which a crash is captured")
    func childsMemory() throws {
        let guest = try Guest()
        let memory = try numbers(guest.run(["childs-memory"]))
        try #require(memory.count == 2 && memory[0] > 0)
        #expect(memory[0] - memory[1] >= 48)
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

    @Test("dump-convert covered tells the process, what it becomes, and what a child executes")
    func covered() throws {
        let guest = try Guest()
        // Looks until the child has executed its program, and the library in it has started.
        let look = """
            env LD_PRELOAD="$1" EPITAPH_DATABASE="$2" sh -c "$3" &
            pid=$!
            for i in $(seq 100); do
                "$0" covered $pid >"$4"
                status=$?
                grep '  sleep  ' "$4" | grep -qv 'it has no dump' && break
                sleep 0.1
            done
            cat "$4"
            kill $(cat /proc/$pid/task/$pid/children) $pid
            exit $status
            """
        func lines(_ script: String) throws -> ([Substring], Subprocess.Ending) {
            let result = try Subprocess.run([
                "sh", "-c", look, Products.executable("dump-convert"), guest.library.preload,
                guest.database, script, guest.directory.path("lines"),
            ])
            return (result.standardOutput.split(separator: "\n"), result.ending)
        }
        let dump = "covered: its dump is \(guest.database)/pending-dumps/sleep@"
        let (become, all) = try lines("exec sleep 20")
        #expect(become.count == 1 && become[0].contains("  sleep  " + dump), "\(become)")
        #expect(all == .exited(0))
        let (forked, some) = try lines("sleep 20; true")
        #expect(forked.count == 2)
        #expect(forked.contains { $0.contains("  sh  covered: its dump is ") }, "\(forked)")
        #expect(forked.contains { $0.contains("  sleep  not covered: LD_PRELOAD") }, "\(forked)")
        #expect(some == .exited(1))
    }

    @Test("dump-convert covered knows a daemon whose first process has ended")
    func orphan() throws {
        let guest = try Guest()
        let look = """
            pid=$(env LD_PRELOAD="$1" EPITAPH_DATABASE="$2" sh -c 'trap "" SYS; (sleep 20; true) >&2 & echo $!')
            "$0" covered $pid
            kill $(cat /proc/$pid/task/$pid/children) $pid
            """
        let result = try Subprocess.run([
            "sh", "-c", look, Products.executable("dump-convert"), guest.library.preload,
            guest.database,
        ])
        let why = "what forked it has ended, and it opens a dump when it crashes"
        #expect(result.standardOutput.contains("  sh  covered: \(why)\n"))
    }

    @Test(
        "Processes forked after root was given up leave reports in root's database",
        .enabled(if: getuid() == 0, "only root can become another user"))
    func heirs() throws {
        let guest = try Guest()
        let result = try guest.run(["heirs"])
        #expect(result.ending == .exited(0) && result.standardError == "")
        #expect(result.standardOutput == (try guest.runWithout(["heirs"])).standardOutput)
        // They may not rename what they have written in root's directory.
        #expect(guest.dumps().isEmpty)
        let summary = try DumpSweep(
            ReportDatabase(opening: guest.database, ifMissing: .create)
        ).run()
        #expect(summary.reportIDs.count == 2 && summary.problems.isEmpty)
        #expect(summary.entries.map(\.outcome).contains(.ended(.cleanly)))
        #expect(Dummy.files(in: guest.database).isEmpty)
    }

    @Test(
        "A worker of a daemon of root's leaves a report, however it gave up its rights",
        .enabled(if: getuid() == 0, "only root can become another user"),
        arguments: ["setuid", "setreuid", "seteuid", "lent", "call", "chroot"])
    func workers(_ way: String) throws {
        let guest = try Guest()
        #expect(try guest.run(["worker", way]).ending == .exited(SIGSEGV))
        let summary = try DumpSweep(
            ReportDatabase(opening: guest.database, ifMissing: .create)
        ).run()
        #expect(summary.reportIDs.count == 1 && summary.problems.isEmpty)
        #expect(Dummy.files(in: guest.database).isEmpty)
    }

    @Test(
        "A daemon that closed every descriptor and gave up its rights leaves a whole report",
        .enabled(if: getuid() == 0, "only root can become another user"))
    func closedByDaemon() throws {
        let guest = try Guest()
        #expect(try guest.run(["closing"]).ending == .signalled(SIGSEGV))
        // As another user it may not rename the file in root's directory.
        let name = try #require(Dummy.files(in: guest.database).first)
        let snapshot = try guest.snapshot(name)
        #expect(snapshot.damage.isEmpty && !snapshot.threads.isEmpty)
    }

    @Test(
        "A child that keeps its rights makes no file",
        .enabled(if: getuid() == 0, "only root can become another user"))
    func childrenWithoutFiles() throws {
        let guest = try Guest()
        #expect(try guest.run(["children"]).ending == .exited(0))
        // Its own: that of the last child would still be there.
        #expect(Dummy.files(in: guest.database).count == 1)
    }

    @Test(
        "Of the faults of a forked child only the one it dies of is reported",
        arguments: [("repairs", Int32(6), 0), ("repairs-and-dies", SIGSEGV, 1)])
    func repairedFaults(_ way: String, _ status: Int32, _ count: Int) throws {
        let guest = try Guest()
        #expect(try guest.runWithout([way]).ending == .exited(status))
        #expect(try guest.run([way]).ending == .exited(status))
        let summary = try DumpSweep(
            ReportDatabase(opening: guest.database, ifMissing: .create)
        ).run()
        #expect(summary.reportIDs.count == count && summary.problems.isEmpty)
        #expect(Dummy.files(in: guest.database).isEmpty)
    }

    @Test(
        "A child that has a filter of its own dies as without it, and root's leaves a report",
        arguments: ["raw-sandbox", "forked-sandbox"])
    func sandboxes(_ way: String) throws {
        let guest = try Guest()
        let result = try guest.run([way])
        #expect(result.ending == .exited(0) && result.standardError == "")
        #expect(result.standardOutput == "child ended by \(SIGSEGV)\n")
        let summary = try DumpSweep(
            ReportDatabase(opening: guest.database, ifMissing: .create)
        ).run()
        #expect(summary.reportIDs.count == (getuid() == 0 ? 1 : 0))
    }

    @Test(
        "So does that of a program without rights, which leaves none",
        .enabled(if: getuid() == 0, "only root can become another user"),
        arguments: ["raw-sandbox", "forked-sandbox"])
    func unprivilegedSandboxes(_ way: String) throws {
        let guest = try Guest()
        try #require(chmod(guest.directory.path(""), 0o777) == 0)
        let result = try Subprocess.run([
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env",
            "LD_PRELOAD=" + guest.library.preload, "EPITAPH_DATABASE=" + guest.database,
            guest.program, way,
        ])
        #expect(result.standardOutput == "child ended by \(SIGSEGV)\n")
        #expect(Dummy.files(in: guest.database).count == 1)
    }

    @Test(
        "A program that answers its own system calls ends as without it, and its crashes are known",
        .enabled(if: Machine.own == .x86_64, "aarch64 has no syscall user dispatch"),
        arguments: ["refused", "repeated"], ["none", "fault", "abort", "default"])
    func dispatchedCalls(_ answer: String, _ end: String) throws {
        let guest = try Guest(name: "dispatched", source: "dispatched.c")
        let without = try guest.runWithout([answer, end])
        let with = try guest.run([answer, end])
        #expect(without.ending != .exited(71), "the kernel has no syscall user dispatch")
        #expect(with.ending == without.ending)
        #expect(with.standardOutput == without.standardOutput)
        let database = try ReportDatabase(opening: guest.database, ifMissing: .create)
        let summary = try DumpSweep(database).run()
        // The default action is the kernel's from then on, as under a new filter.
        #expect(summary.reportIDs.count == (["none", "default"].contains(end) ? 0 : 1))
    }

    @Test("Calls past libc's functions do and return what they do without it")
    func rawCalls() throws {
        let guest = try Guest()
        let result = try guest.run(["raw-calls"])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "six arguments -1 \(EBADF) 1\n")
        #expect(result.standardOutput == (try guest.runWithout(["raw-calls"])).standardOutput)
    }

    @Test("Root's programs that keep their rights have one dump file, and so do their clean ends")
    func noSpareFiles() throws {
        let guest = try Guest()
        #expect(try guest.run(["exit"]).ending == .exited(5))
        #expect(Dummy.files(in: guest.database).count == 1)
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
