// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Breadcrumb files of real processes.
@Suite struct BreadcrumbFileTests {
    private func database(_ run: Dummy) throws -> ReportDatabase {
        try ReportDatabase(opening: run.directory.path("db"), ifMissing: .create)
    }

    /// Sweeps, and reads what the history then has of the launch.
    private func kept(_ run: Dummy) throws -> (RecordedLaunch, BreadcrumbFile?) {
        let database = try database(run)
        _ = try DumpSweep(database).run()
        let launch = try #require(
            try database.launchHistory(of: "org.example.dummy").first { !$0.isChild })
        let bytes = try database.breadcrumbFile(of: launch, bundleID: "org.example.dummy")
        #expect(!Dummy.files(in: run.directory.path("db")).contains { $0.contains("breadcrumbs") })
        return (launch, try bytes.map { try BreadcrumbFile($0) })
    }

    @Test("What was noted before SIGKILL is with the launch in the history")
    func killed() throws {
        let run = try Dummy("note-and-be-killed", ["crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        let (launch, file) = try kept(run)
        #expect(launch.end == .killed)
        let breadcrumbs = try #require(file?.breadcrumbs)
        #expect(breadcrumbs.count == 21)
        #expect(breadcrumbs.first?.message == "step 0" && breadcrumbs.first?.level == .warning)
        #expect(breadcrumbs.last?.message.count == 4000 && breadcrumbs.last?.isCut == true)
        #expect(file?.tornCount == 0)
        #expect(file?.process == launch.process)
    }

    @Test("Cleared breadcrumbs are not in the file, and are no gap in it")
    func cleared() throws {
        let run = try Dummy("crumbs-cleared-file", ["crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        let (_, file) = try kept(run)
        #expect(file?.breadcrumbs.map(\.message) == ["after"] && file?.tornCount == 0)
    }

    @Test("Sixteen threads that are killed in the middle leave whole breadcrumbs and a few gaps")
    func flood() throws {
        let run = try Dummy("flood-and-be-killed", ["crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        let (_, file) = try kept(run)
        let found = try #require(file)
        #expect(found.breadcrumbs.count > 100)
        #expect(found.breadcrumbs.allSatisfy { $0.message == "one of very many breadcrumbs" })
        // Each thread can be in the middle of one, and may have written over another.
        #expect(found.tornCount <= 32)
    }

    @Test("A file that another process truncates costs the breadcrumbs and not the program")
    func truncated() throws {
        let run = try Dummy("note-in-truncated-file", ["crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        #expect(run.files.allSatisfy { $0.contains(".") })
        let database = try database(run)
        #expect(try DumpSweep(database).run().reportIDs.isEmpty)
        let launch = try #require(try database.launchHistory(of: "org.example.dummy").first)
        #expect(launch.end == .killed)
    }

    @Test("A forked child adds nothing to its parent's file")
    func child() throws {
        let run = try Dummy("note-in-child", ["crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        let (_, file) = try kept(run)
        #expect(file?.breadcrumbs.map(\.message) == ["in the file"])
    }

    @Test("A crash whose dump has no breadcrumbs gets those of the file")
    func crash() throws {
        let run = try Dummy("note-and-crash", ["crumb-file", "crumbs=0"])
        #expect(run.result.ending == .signalled(SIGABRT))
        let database = try database(run)
        let id = try #require(try DumpSweep(database).run().reportIDs.first)
        let minidump = try MinidumpReader.read(database.contents(of: database.report(id)))
        #expect(minidump.snapshot.breadcrumbs.map(\.message) == ["about to crash"])
        let without = try Dummy("note-and-crash", ["crumbs=0"])
        #expect(try without.snapshot().breadcrumbs.isEmpty)
    }

    @Test(
        "A signal that ends the process is the last breadcrumb of the file",
        arguments: [("end-by-term", "SIGTERM"), ("end-by-hangup", "SIGHUP")])
    func signal(way: String, name: String) throws {
        let run = try Dummy(way, ["marks", "crumb-file"])
        let (launch, file) = try kept(run)
        #expect(launch.end == .signalled(name == "SIGTERM" ? .sigterm : .sighup))
        let last = try #require(file?.breadcrumbs.last)
        #expect(last.message == "\(name) came from process \(run.result.processID)")
        #expect(last.category == "signal" && last.level == .info && !last.isCut)
        let alarm = try Dummy("end-by-alarm", ["marks", "crumb-file"])
        #expect(try kept(alarm).1?.breadcrumbs.map(\.message) == ["SIGALRM came"])
        let unasked = try Dummy(way, ["crumb-file"])
        #expect(try kept(unasked).1?.breadcrumbs == [])
    }

    @Test(
        "A signal ends the process, and is marked, although its breadcrumb finds the file truncated"
    )
    func signalWithoutFile() throws {
        let run = try Dummy("end-by-term-in-truncated-file", ["marks", "crumb-file"])
        #expect(run.result.ending == .signalled(SIGTERM))
        let database = try database(run)
        #expect(try DumpSweep(database).run().reportIDs.isEmpty)
        let launch = try #require(try database.launchHistory(of: "org.example.dummy").first)
        #expect(launch.end == .signalled(.sigterm))
    }

    @Test("A handler of the program's own notes a signal, and takes it from ours")
    func handled() throws {
        let run = try Dummy("note-term-and-be-killed", ["marks", "crumb-file"])
        #expect(run.result.ending == .signalled(SIGKILL))
        let words = try kept(run).1?.breadcrumbs.map(\.message)
        let term = "SIGTERM came from process \(run.result.processID)"
        #expect(words == [term, "SIGSTKFLT came"])
    }

    @Test("A clean end takes its breadcrumb file away")
    func clean() throws {
        let run = try Dummy("stop", ["crumb-file"])
        #expect(run.result.ending == .exited(0))
        #expect(!run.files.contains { $0.hasSuffix(".breadcrumbs") })
        let exit = try Dummy("exit", ["crumb-file"])
        let (launch, file) = try kept(exit)
        #expect(launch.end == .cleanly && file == nil)
    }
}
