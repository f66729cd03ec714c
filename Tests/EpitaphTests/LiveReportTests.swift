// SPDX-License-Identifier: Apache-2.0

import Epitaph
import FoundationEssentials
import ReportDatabase
import TestSupport
import Testing

/// The façade in this very process: Epitaph starts once a process, so this is one story.
@Suite struct LiveReportTests {
    @Test("A live process is dumped now, later, and at a path, and goes on")
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
        #expect(throws: StartError.self) {
            try CrashReporter(databasePath: path, bundleID: "org.example.live")
        }
        try reporter.setAnnotation("colour", to: "red")
        #expect(throws: AnnotationError.invalidName("")) { try reporter.setAnnotation("", to: "x") }

        let now = try reporter.reportLiveDump()
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

        try reporter.captureLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.isEmpty)
        try reporter.promoteLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.count == 1)
        #expect(throws: LiveDumpError.self) {
            try reporter.promoteLiveDump(at: directory.path("kept.dump"))
        }
    }
}
