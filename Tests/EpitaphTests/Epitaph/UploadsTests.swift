// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Synchronization
import Testing

@testable import Epitaph

@Suite("Uploads on a thread of their own")
struct UploadsTests {
    let directory: TemporaryDirectory
    let database: ReportDatabase

    init() throws {
        directory = try TemporaryDirectory()
        database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
        try database.updateSettings { $0.uploadsEnabled = true }
    }

    private func file(_ count: Int) throws {
        for _ in 0..<count {
            let report = try database.prepareReport()
            var sink = report.sink
            try sink.append(Array("MDMP".utf8))
            try report.finish()
        }
    }

    private final class Outcomes: Sendable {
        let list = Mutex<[UploadOutcome]>([])
        var count: Int { list.withLock { $0.count } }
    }

    private func start(
        _ url: String, _ options: UploadOptions
    ) throws -> (Uploads, Outcomes) {
        let outcomes = Outcomes()
        var options = options
        options.transport.proxy = .none
        let uploads = try Uploads(
            databasePath: directory.path("db"),
            destination: UploadDestination(try UploadURL(url)), options: options,
            completion: { outcome in outcomes.list.withLock { $0.append(outcome) } })
        try BackgroundThread.start("uploads") { uploads.run() }
        return (uploads, outcomes)
    }

    @Test("A single pass sends what is pending and ends")
    func single() throws {
        let server = try TestServer("scripted.py", ["200=bp-1"])
        try file(3)
        let (uploads, outcomes) = try start(server.url, UploadOptions())
        #expect(eventually { uploads.hasEnded })
        #expect(outcomes.list.withLock { $0 } == [.finished(sent: 3, failed: 0, skipped: 0)])
        #expect(
            try database.reports(.completed).reports.map(\.serverID) == ["bp-1", "bp-1", "bp-1"])
    }

    @Test("Passes repeat, send what came meanwhile, and a stop ends the wait between them")
    func repeating() throws {
        let server = try TestServer("scripted.py", ["200"])
        var options = UploadOptions()
        options.repeatsAfter = .seconds(1)
        let (uploads, outcomes) = try start(server.url, options)
        #expect(eventually { outcomes.count >= 1 })
        try file(1)
        #expect(eventually { (try? database.reports(.completed).reports.count) == 1 })
        uploads.stop()
        #expect(eventually { uploads.hasEnded })

        options.repeatsAfter = .seconds(86_400)
        let (idle, ended) = try start(server.url, options)
        #expect(eventually { ended.count == 1 })
        #expect(!idle.hasEnded)
        idle.stop()
        #expect(eventually { idle.hasEnded })
    }

    @Test("A report in other hands is looked for again soon, however long the passes are apart")
    func taken() throws {
        let server = try TestServer("scripted.py", ["200"])
        try file(1)
        let uuid = try #require(try database.reports(.pending).reports.first?.uuid)
        // As Crashpad's tools take a report: the time in seconds, docs/database.md.
        let lock = database.path + "/pending/\(uuid.description).lock"
        let now = Int64(Timestamp.now.secondsSince1970)
        try withUnsafeBytes(of: now.littleEndian) { try Data($0).write(to: URL(filePath: lock)) }
        var options = UploadOptions()
        options.repeatsAfter = .seconds(86_400)
        let (uploads, outcomes) = try start(server.url, options)
        #expect(eventually { outcomes.count >= 1 })
        #expect(
            outcomes.list.withLock { $0.first } == .finished(sent: 0, failed: 0, skipped: 1))
        try FileManager.default.removeItem(atPath: lock)
        #expect(
            eventually(withinSeconds: 60) {
                (try? database.reports(.completed).reports.count) == 1
            })
        uploads.stop()
        #expect(eventually { uploads.hasEnded })
    }

    @Test("A stop ends the wait for a retry too, and the report stays")
    func stopInRetry() throws {
        let server = try TestServer("scripted.py", ["500"])
        try file(1)
        var options = UploadOptions()
        options.limits.retryInterval = 300
        let failed = Failed()
        options.delegate = failed
        let (uploads, outcomes) = try start(server.url, options)
        #expect(eventually { failed.count.withLock { $0 } == 1 })
        uploads.stop()
        #expect(eventually { uploads.hasEnded })
        #expect(outcomes.list.withLock { $0 } == [.finished(sent: 0, failed: 1, skipped: 0)])
        #expect(try database.reports(.pending).reports.first?.uploadAttempts == 1)
    }

    private final class Failed: UploadDelegate {
        let count = Mutex(0)

        func didFail(
            _ report: PendingReport, _ failure: UploadFailure,
            next: NextTry
        ) {
            count.withLock { $0 += 1 }
        }
    }

    @Test("After a pass no more reports are kept than the limits allow; those that wait go last")
    func pruning() throws {
        let server = try TestServer("scripted.py", ["200", "200", "404"])
        try file(4)
        var options = UploadOptions()
        options.limits.maxRecordCount = 3
        let (uploads, _) = try start(server.url, options)
        #expect(eventually { uploads.hasEnded })
        #expect(try database.reports(.completed).reports.count == 1)
        #expect(try database.reports(.pending).reports.count == 2)
    }

    @Test("A database that cannot be used is told of in a sentence")
    func impossible() throws {
        try FileManager.default.removeItem(atPath: directory.path("db"))
        try directory.write([], to: "db")
        let (uploads, outcomes) = try start("http://127.0.0.1:9/", UploadOptions())
        #expect(eventually { uploads.hasEnded })
        guard case .impossible(let sentence)? = outcomes.list.withLock({ $0.first }) else {
            Issue.record("the pass ended otherwise")
            return
        }
        #expect(sentence.contains(directory.path("db")))
    }
}
