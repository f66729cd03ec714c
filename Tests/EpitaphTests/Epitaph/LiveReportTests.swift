// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

/// The façade in this very process: Epitaph starts once a process, so this is one story.
@Suite struct LiveReportTests {
    @Test(
        "A live process is dumped now, later, and at a path, and goes on", .startsEpitaphHere)
    func liveDumps() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db")
        var options = CrashReporterOptions()
        let log = try directory.write(Array("up\n".utf8), to: "live.log")
        let core = try directory.write([UInt8](repeating: 0, count: 2_000), to: "core")
        options.attachments = [AttachedFile(log), AttachedFile(core)]
        options.attachmentLimitBytes = 1_999
        let reporter = try CrashReporter(
            databasePath: path, bundleID: "org.example.live", annotations: ["ver": "2"],
            options: options)
        defer { reporter.stop() }
        #expect(throws: Refusal.self) {
            try CrashReporter(databasePath: path, bundleID: "org.example.live")
        }
        Epitaph["colour"] = "red"
        Epitaph["passing"] = "soon gone"
        Epitaph["passing"] = nil
        Epitaph["never set"] = nil
        Epitaph[""] = "x"
        Epitaph["colour\0red"] = "green"
        Epitaph["colour\0"] = nil
        #expect(Epitaph[""] == nil && Epitaph["colour"]?.epitaphValue == "red")

        #expect(throws: Refusal.self) {
            try Epitaph.addAttachment("\(log)\0.txt", name: "other.log")
        }

        note(Epitaph.Level.allCases, on: reporter)

        let now = try reporter.reportLiveDump()
        try expectBreadcrumbs(of: "\(path)/pending/\(now.description).dmp")
        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        #expect(try database.reports(.pending).reports.map(\.uuid) == [now])

        let later = try reporter.captureLiveDump()
        #expect(try database.reports(.pending).reports.count == 1)
        let earlier = try reporter.processIntermediateDumps()
        #expect(earlier.convertedReports == [later])
        for report in [now, later] {
            #expect(try database.attachmentNames(of: report) == ["live.log"])
        }
        #expect(
            earlier.problems == [
                "\(core) is not attached: it has 2000 bytes, and an attachment may have 1999"
            ])
        try reporter.attach(AttachedFile(log, name: "again.log"), to: later)
        #expect(try database.attachmentNames(of: later) == ["again.log", "live.log"])

        #expect(try !reporter.areUploadsEnabled())
        try reporter.setUploadsEnabled(true)
        #expect(try reporter.areUploadsEnabled())

        try Epitaph.captureLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.isEmpty)
        try Epitaph.promoteLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.count == 1)
        #expect(throws: Refusal.self) {
            try Epitaph.promoteLiveDump(at: directory.path("kept.dump"))
        }
    }

    private func note(_ levels: [Epitaph.Level], on reporter: CrashReporter) {
        Epitaph.note("")
        for level in levels {
            Epitaph.note("größe \u{0} \(level)", level, category: "live")
        }
        Epitaph.breadcrumbLevel = .warning
        Epitaph.note("below the level", .notice)
        Epitaph.breadcrumbLevel = .trace
        Epitaph.note(String(repeating: "😀", count: 65))
    }

    private func expectBreadcrumbs(of minidump: String) throws {
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--json", "--no-symbols", minidump,
        ])
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(shown.standardOutput.utf8))
                as? [String: Any])
        // It was removed before the dump.
        #expect(!shown.standardOutput.contains("passing"))
        #expect(shown.standardOutput.contains("colour"))
        let noted = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        let levels = ["debug", "debug", "info", "info", "warning", "error", "fatal"]
        // The ring outlives a stop: those of earlier starts in this process come first.
        let breadcrumbs = try #require(report["breadcrumbs"] as? [[String: Any]])
            .suffix(levels.count + 2)
        #expect(breadcrumbs.map { $0["level"] as? String } == ["info"] + levels + ["info"])
        #expect(
            breadcrumbs.map { $0["message"] as? String }
                == [""] + noted.map { "größe \u{0} \($0)" }
                + [String(repeating: "😀", count: 64)])
        #expect(
            breadcrumbs.map { $0["category"] as? String }.dropFirst().dropLast()
                .allSatisfy { $0 == "live" })
        #expect(breadcrumbs.last?["isCut"] as? Bool == true)
    }
}
