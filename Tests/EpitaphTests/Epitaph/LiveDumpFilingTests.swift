// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

@testable import Epitaph

/// Several sweep the directory a live dump lies in: whoever files it, it is filed.
@Suite struct LiveDumpFilingTests {
    @Test(
        "A live dump that somebody else has filed is filed, and one that was removed is not",
        .startsEpitaphHere)
    func filedByOthers() throws {
        let directory = try TemporaryDirectory()
        var options = CrashReporterOptions()
        options.allowsDebugger = true
        let reporter = try CrashReporter(
            databasePath: directory.path("db"), bundleID: "org.example.filing", options: options)
        defer { reporter.stop() }
        let database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)

        let filed = try reporter.captureLiveDump()
        try #require(try DumpSweep(database).run().reportIDs == [filed])
        try reporter.fileLiveDump(filed, shouldStop: nil)

        let removed = try reporter.captureLiveDump()
        let pending = directory.path("db/pending-dumps")
        for name in try FileManager.default.contentsOfDirectory(atPath: pending)
        where name.lowercased().hasSuffix(removed.description) {
            try FileManager.default.removeItem(atPath: pending + "/" + name)
        }
        #expect {
            try reporter.fileLiveDump(removed, shouldStop: nil)
        } throws: {
            "\($0)".contains("\(removed.description) is not a report yet")
        }

        let left = try reporter.captureLiveDump()
        #expect {
            try reporter.fileLiveDump(left, shouldStop: { true })
        } throws: {
            "\($0)".contains("the task was cancelled; it waits for another pass")
        }
        #expect(try reporter.processIntermediateDumps().convertedReports == [left])
    }

    @Test("Sweeps beside do not make a live report fail")
    func besideSweeps() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db")
        let loop =
            "while :; do \"$0\" process --all --database \"$1\" >/dev/null 2>&1; sleep 0.05; done"
        _ = try ReportDatabase(opening: path, ifMissing: .create)
        let sweeps = try (0..<3).map { _ in
            let sweep = Process()
            sweep.executableURL = URL(fileURLWithPath: "/bin/sh")
            sweep.arguments = ["-c", loop, Products.executable("dump-convert"), path]
            try sweep.run()
            return sweep
        }
        defer { for sweep in sweeps { sweep.terminate() } }
        let result = try Victim.facade.run(["live-dumps", path, "6"], deadlineSeconds: 240)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let ids = result.standardOutput.split(separator: "\n").compactMap {
            Epitaph.ID("\($0)")
        }
        #expect(Set(ids).count == 6)
        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        for id in ids { #expect(try database.isFiled(id)) }
    }

    @Test("The memory that reports take goes back to the kernel")
    func memory() throws {
        let directory = try TemporaryDirectory()
        let result = try Victim.facade.run(
            ["report-memory", directory.path("db"), "3"], deadlineSeconds: 240)
        let kibibytes = result.standardOutput.split(separator: "\n").compactMap { Int($0) }
        try #require(kibibytes.count == 3, "\(result.standardError)")
        // 4 MiB; kept by the allocator, 32.
        #expect(kibibytes[2] - kibibytes[0] < 16 << 10, "\(kibibytes)")
    }
}
