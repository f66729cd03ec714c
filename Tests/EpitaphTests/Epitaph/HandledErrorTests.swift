// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

/// Errors of this very process. Epitaph starts once in one, so this is one story.
@Suite struct HandledErrorTests {
    enum LedgerError: Error {
        case isGone
    }

    @inline(never)
    private func openLedger(_ errors: ErrorReports, allThreads: Bool) -> Epitaph.ID? {
        defer { withExtendedLifetime(errors) {} }
        return errors.trackError(
            LedgerError.isGone, properties: ["ledger": "7"], capturesAllThreads: allThreads)
    }

    @inline(never)
    private func reportInTask(_ errors: ErrorReports) async throws -> HandledErrorOutcome {
        let outcome = try await errors.send(error: LedgerError.isGone)
        await Task.yield()
        return outcome
    }

    private func shown(_ id: Epitaph.ID, in path: String, _ options: [String] = []) throws -> String
    {
        let result = try Subprocess.run(
            [Products.executable("dump-convert"), "show"] + options
                + ["\(path)/pending/\(id.description).dmp"])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return result.standardOutput
    }

    @Test(
        "An error that was handled is a report with the caller's stack, and no crash",
        .startsEpitaphHere)
    func wholeStory() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db")
        var options = CrashReporterOptions()
        options.attachments = [
            AttachedFile(try directory.write(Array("up\n".utf8), to: "my.log"))
        ]
        let reporter = try CrashReporter(
            databasePath: path, bundleID: "org.example.errors", annotations: ["ver": "2"],
            options: options)
        defer { reporter.stop() }
        Epitaph.note("about to open")
        let errors = reporter.errorReports()
        defer { errors.stop() }
        let alone = try #require(openLedger(errors, allThreads: false))
        let task = try await Epitaph.scope(["request": "of the task", "cents": 150]) {
            Epitaph.note("in the task")
            return try await reportInTask(errors)
        }
        let all = try #require(openLedger(errors, allThreads: true))
        #expect(eventually { errors.recent.count == 3 })
        #expect(errors.recent.allSatisfy { $0.failure == nil }, "\(errors.recent)")

        let text = try shown(alone, in: path)
        let lines = text.split(separator: "\n")
        #expect(text.contains("handled error: EpitaphTests.HandledErrorTests.LedgerError: isGone"))
        #expect(text.contains("openLedger") && text.contains("wholeStory"))
        #expect(text.contains("ledger") && text.contains("about to open"))
        #expect(!lines.contains { $0.lowercased().contains("crashed") })
        let json = try #require(
            try JSONSerialization.jsonObject(
                with: Data(try shown(alone, in: path, ["--json"]).utf8)) as? [String: Any])
        #expect(json["kind"] as? String == "handled-error")
        let threads = try #require(json["threads"] as? [[String: Any]])
        #expect(threads.count == 1)
        let signature = try #require((json["signature"] as? [String: Any])?["text"] as? String)
        #expect(
            signature.hasPrefix("handled-error EpitaphTests.HandledErrorTests.LedgerError"),
            "\(signature)")
        #expect(signature.contains("openLedger"), "\(signature)")
        #expect(!signature.contains("isGone"))

        guard case .filed(let awaited, _) = task else {
            Issue.record("\(task)")
            return
        }
        let ofTask = try shown(awaited, in: path)
        #expect(ofTask.contains("reportInTask"))
        // Not those of the thread that made the report, which is in no scope.
        #expect(ofTask.contains("of the task") && ofTask.contains("150"), "\(ofTask)")
        #expect(ofTask.contains("in the task"))
        #expect(!text.contains("of the task"))
        let awaitedJSON = try #require(
            try JSONSerialization.jsonObject(
                with: Data(try shown(awaited, in: path, ["--json", "--no-symbols"]).utf8))
                as? [String: Any])
        #expect(!"\(awaitedJSON["damage"] ?? "")".contains("scope"))

        let everything = try #require(
            try JSONSerialization.jsonObject(
                with: Data(try shown(all, in: path, ["--json", "--no-symbols"]).utf8))
                as? [String: Any])
        #expect((everything["threads"] as? [[String: Any]] ?? []).count > 1)
        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        for id in [alone, awaited, all] {
            #expect(try database.attachmentNames(of: id) == ["my.log"])
        }
        // What the captures were written to is gone.
        let left = try FileManager.default.contentsOfDirectory(atPath: path + "/new")
        #expect(left.isEmpty, "\(left)")
    }
}
