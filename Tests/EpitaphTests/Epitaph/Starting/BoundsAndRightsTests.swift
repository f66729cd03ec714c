// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// What processing leaves behind in a database. Epitaph starts once a process.
@Suite("After earlier crashes were processed", .startsEpitaphHere)
struct BoundsAndRightsTests {
    /// A database with the dumps of `count` crashes.
    private func database(_ count: Int, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path("db")
        try FileManager.default.createDirectory(
            atPath: path + "/pending-dumps", withIntermediateDirectories: true)
        for _ in 0..<count {
            try FileManager.default.copyItem(
                atPath: Products.fixture("intermediate-dumps/sample-x86_64.dump"),
                toPath: path + "/pending-dumps/org.example.bounds@\(Epitaph.ID().description)"
            )
        }
        return path
    }

    @Test("as many reports stay as the options say, and the others are told of")
    func bounds() throws {
        let directory = try TemporaryDirectory()
        let path = try database(5, in: directory)
        var options = CrashReporterOptions()
        #expect(options.prunePolicy == .standard)
        options.prunePolicy = PrunePolicy(maxRecordCount: 2)
        let reporter = try CrashReporter(
            databasePath: path, bundleID: "org.example.bounds", options: options)
        defer { reporter.stop() }
        var toldCount = 0
        let earlier = try reporter.processIntermediateDumps { _ in toldCount += 1 }
        #expect(toldCount == 5 && earlier.convertedReports.count == 5)
        #expect(earlier.removedReports.count == 3)
        #expect(earlier.removedReports.allSatisfy { $0.reason == .tooMany })
        let left = try FileManager.default.contentsOfDirectory(atPath: path + "/pending")
        #expect(left.count { $0.hasSuffix(".dmp") } == 2)
    }

    @Test(
        "a privileged program has made nothing of its own in another user's database",
        .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
    func rights() throws {
        let directory = try TemporaryDirectory()
        let path = try database(2, in: directory)
        chmod(directory.path, 0o711)
        try OtherUser.own(path)
        let log = try directory.write(Array("up\n".utf8), to: "daemon.log")
        chmod(log, 0o600)
        var options = CrashReporterOptions()
        // The program's own file, which only it may read.
        options.attachments = [AttachedFile(log)]
        let reporter = try CrashReporter(
            databasePath: path, bundleID: "org.example.bounds", options: options)
        defer { reporter.stop() }
        let earlier = try reporter.processIntermediateDumps()
        #expect(earlier.convertedReports.count == 2 && earlier.problems == [])
        let report = try #require(earlier.convertedReports.first)
        try reporter.setUploadsEnabled(true)
        #expect(try reporter.areUploadsEnabled())
        try reporter.requestUpload(of: report)
        try reporter.attach(AttachedFile(log, name: "again.log"), to: report)
        let foreign = try OtherUser.foreign(below: path).filter {
            !$0.hasPrefix("pending-dumps/")
        }
        #expect(foreign == [])
        let attached = path + "/attachments/\(report.description)"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: attached).sorted()
                == ["again.log", "daemon.log"])
    }
}
