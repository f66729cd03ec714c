// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// How the last run ended, asked in C: before any sweep, and after one of another process.
@Suite struct LastRunTests {
    private let bundleID = "org.example.dummy"

    private func lastRun(
        in database: String, crashDirectory: String? = nil, of bundleID: String? = nil
    ) -> epitaph_last_run {
        var run = epitaph_last_run()
        #expect(
            epitaph_last_run_get(database, crashDirectory, bundleID ?? self.bundleID, &run)
                == EPITAPH_OK)
        return run
    }

    private func sweep(_ database: String) throws {
        let result = try Subprocess.run([
            Products.executable("dump-convert"), "process", "--database", database,
        ])
        #expect(result.ending == .exited(0), "\(result.standardError)")
    }

    private func report(_ run: epitaph_last_run) -> String {
        withUnsafeBytes(of: run.report) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private func reason(_ run: epitaph_last_run) -> String {
        withUnsafeBytes(of: run.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    @Test(
        "The end of the last run is the same before a sweep and after one of another process",
        arguments: [
            ("null-write", EPITAPH_RUN_CRASHED, Int32(0)), ("stop", EPITAPH_RUN_ENDED_CLEANLY, 0),
            ("exit", EPITAPH_RUN_ENDED_CLEANLY, 0), ("end-by-term", EPITAPH_RUN_SIGNALLED, SIGTERM),
            ("sigkill", EPITAPH_RUN_KILLED, 0), ("_exit", EPITAPH_RUN_KILLED, 0),
        ])
    func ends(way: String, end: epitaph_run_end, signal: Int32) throws {
        let run = try Dummy(way, ["marks"])
        let path = run.directory.path("db")
        let before = lastRun(in: path)
        #expect(before.knowledge == EPITAPH_LAST_RUN_KNOWN, "\(reason(before))")
        #expect(before.end == end && before.signal == signal)
        #expect(before.awaits_sweep != 0 && before.had_memory_warning == 0)
        #expect(before.pid == run.result.processID)
        #expect(before.start_us > 0 && before.last_sign_us >= before.start_us)
        try sweep(path)
        let after = lastRun(in: path)
        #expect(after.knowledge == EPITAPH_LAST_RUN_KNOWN, "\(reason(after))")
        #expect(after.end == end && after.signal == signal && after.awaits_sweep == 0)
        #expect(after.pid == before.pid && after.start_us == before.start_us)
        #expect(after.is_certain != 0)
        if end == EPITAPH_RUN_CRASHED {
            #expect(report(after) == report(before))
            let database = try ReportDatabase(opening: path, ifMissing: .fail)
            #expect(
                try database.reports(.pending).reports.map { $0.uuid.description }
                    == [report(after)])
        } else {
            #expect(report(before).isEmpty && report(after).isEmpty)
        }
    }

    @Test("A memory warning is told, and a run of the same program in C learns of all that")
    func fromAProgram() throws {
        let first = try Dummy("warn-of-memory")
        let path = first.directory.path("db")
        #expect(lastRun(in: path).had_memory_warning == 1)
        func next(_ way: String) throws -> String {
            try Subprocess.run(
                [Victim.c.path, path, way, "0", "marks", "last-run"]
            ).standardOutput
        }
        #expect(
            try next("null-write")
                == "knowledge 2, end 6, signal 0, memory warning 1, report none, awaits sweep 1\n")
        try sweep(path)
        #expect(
            try next("end-by-term")
                == "knowledge 2, end 1, signal 0, memory warning 0, report there, awaits sweep 0\n")
        #expect(
            try next("stop")
                == "knowledge 2, end 3, signal 15, memory warning 0, report none, awaits sweep 1\n")
        #expect(lastRun(in: path).end == EPITAPH_RUN_ENDED_CLEANLY)
    }

    @Test("Runs whose dumps wait in a crash directory are found, unless others may write to it")
    func crashDirectory() throws {
        let directory = try TemporaryDirectory()
        let (path, crashes) = (directory.path("db"), directory.path("crashes"))
        _ = try Subprocess.run(
            [Victim.c.path, path, "null-write", "0", "crashes=\(crashes)"])
        #expect(lastRun(in: path).knowledge == EPITAPH_LAST_RUN_NONE)
        let run = lastRun(in: path, crashDirectory: crashes)
        #expect(run.end == EPITAPH_RUN_CRASHED && run.awaits_sweep == 1)
        #expect(chmod(crashes, 0o770) == 0)
        let other = lastRun(in: path, crashDirectory: crashes)
        #expect(other.knowledge == EPITAPH_LAST_RUN_UNKNOWN)
        #expect(reason(other) == "another user can change the crash directory")
        let none = lastRun(in: path, crashDirectory: directory.path("none"))
        #expect(none.knowledge == EPITAPH_LAST_RUN_NONE)
    }

    @Test("A crash that the program recovered from is not its end")
    func recovered() throws {
        let run = try Dummy("null-write", threads: 1, ["recover"])
        let path = run.directory.path("db")
        // It ended by the abort that followed.
        let last = lastRun(in: path)
        #expect(last.end == EPITAPH_RUN_CRASHED)
        try sweep(path)
        #expect(report(lastRun(in: path)) == report(last))
    }

    @Test("Forked children, live dumps and other programs are no runs of this one")
    func notRuns() throws {
        let children = try Dummy("exiting-child")
        #expect(lastRun(in: children.directory.path("db")).pid == children.result.processID)
        let live = try Dummy("live-dumps")
        #expect(lastRun(in: live.directory.path("db")).end == EPITAPH_RUN_ENDED_CLEANLY)
        let other = try Dummy("null-write", ["bundle=org.example.dummy2"])
        let path = other.directory.path("db")
        #expect(lastRun(in: path).knowledge == EPITAPH_LAST_RUN_NONE)
        #expect(lastRun(in: path, of: "org.example.dummy2").end == EPITAPH_RUN_CRASHED)
    }

    @Test("Without a database there was no run, and what no program can be called is refused")
    func nothing() throws {
        let directory = try TemporaryDirectory()
        #expect(lastRun(in: directory.path("none")).knowledge == EPITAPH_LAST_RUN_NONE)
        #expect(lastRun(in: directory.path).knowledge == EPITAPH_LAST_RUN_NONE)
        let file = try directory.write([1], to: "file")
        let run = lastRun(in: file)
        #expect(run.knowledge == EPITAPH_LAST_RUN_UNKNOWN)
        #expect(reason(run) == "the database cannot be opened: Not a directory")
        var unused = epitaph_last_run()
        #expect(
            epitaph_last_run_get(directory.path, nil, "../a", &unused) == EPITAPH_INVALID_OPTION)
        #expect(epitaph_last_run_get(nil, nil, bundleID, &unused) == EPITAPH_INVALID_OPTION)
        #expect(epitaph_last_run_get(directory.path, nil, bundleID, nil) == EPITAPH_INVALID_OPTION)
    }

    @Test("What is damaged, missing or a later version's is not known, and nothing is read as more")
    func damaged() throws {
        let run = try Dummy("sigkill")
        let path = run.directory.path("db")
        try sweep(path)
        let file = path + "/launches/\(bundleID)@latest"
        let whole = Array(try #require(FileManager.default.contents(atPath: file)))
        func told(_ bytes: [UInt8]) throws -> epitaph_last_run {
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            return lastRun(in: path)
        }
        #expect(try told(whole).end == EPITAPH_RUN_KILLED)
        for count in 0..<whole.count {
            let cut = try told(Array(whole.prefix(count)))
            #expect(cut.knowledge == EPITAPH_LAST_RUN_UNKNOWN)
            #expect(reason(cut).hasSuffix("is damaged"))
        }
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 0x10
            #expect(try told(changed).knowledge == EPITAPH_LAST_RUN_UNKNOWN, "byte \(place)")
        }
        #expect(try told(whole + [0]).knowledge == EPITAPH_LAST_RUN_UNKNOWN)
        var later = whole
        later[4] = 2
        #expect(reason(try told(later)).hasSuffix("was written by a later version"))
        try FileManager.default.removeItem(atPath: file)
        #expect(reason(lastRun(in: path)).contains("kept no record for C"))
        // Opening it must not wait for a writer.
        #expect(mkfifo(file, 0o600) == 0)
        #expect(reason(lastRun(in: path)).hasSuffix("cannot be read"))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(
            atPath: file, withDestinationPath: "\(bundleID).json")
        #expect(lastRun(in: path).knowledge == EPITAPH_LAST_RUN_UNKNOWN)
    }

    @Test("It waits for nobody who changes the history")
    func locked() throws {
        let run = try Dummy("sigkill")
        let path = run.directory.path("db")
        try sweep(path)
        let lock = open(path + "/launches/lock", O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        #expect(lastRun(in: path).end == EPITAPH_RUN_KILLED)
    }
}
