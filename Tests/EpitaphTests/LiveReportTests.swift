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
        let reporter = try CrashReporter(
            databasePath: path, bundleID: "org.example.live", annotations: ["ver": "2"])
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
        #expect(try reporter.processIntermediateDumps().convertedReports == [later])

        try reporter.captureLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.isEmpty)
        try reporter.promoteLiveDump(at: directory.path("kept.dump"))
        #expect(try reporter.processIntermediateDumps().convertedReports.count == 1)
        #expect(throws: LiveDumpError.self) {
            try reporter.promoteLiveDump(at: directory.path("kept.dump"))
        }
    }
}
