// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("The reports of a database")
struct DatabaseQueueTests {
    let directory: TemporaryDirectory
    let database: ReportDatabase

    init() throws {
        directory = try TemporaryDirectory()
        database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
    }

    private func file(_ bytes: [UInt8]) throws -> Epitaph.ID {
        let report = try database.prepareReport()
        var sink = report.sink
        try sink.append(bytes)
        return try report.finish().uuid
    }

    /// A minidump with an annotation and a crash message.
    private func minidump() -> [UInt8] {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.annotations = [
            Annotation(name: "prod", value: "daemon"), Annotation(name: "ver", value: "1.2"),
        ]
        snapshot.messages = [CrashMessage(source: "swift", text: "Fatal error: nil")]
        let writer = MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil)
        var bytes = ByteBuilder()
        writer.write(to: &bytes)
        return bytes.bytes
    }

    private func upload(
        _ transport: FakeTransport, rules: DeliveryRules = .oneTryEach
    ) throws -> UploadSummary {
        var destination = UploadDestination(try UploadURL("http://host/"))
        destination.compression = .none
        var uploader = ReportUploader(
            database, to: destination, by: transport, rules: rules, clock: TestClock(),
            network: FakeNetwork())
        return try uploader.uploadPending()
    }

    @Test(
        "Uploads are off in a new database: reports stay pending until someone asks for them"
    )
    func offByDefault() throws {
        let uuid = try file(minidump())
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(
            try upload(transport).reports == [.init(uuid: uuid, result: .skipped(.uploadsDisabled))]
        )
        #expect(try database.report(uuid).uploadAttempts == 0)
        #expect(try database.report(uuid).state == .pending)
        #expect(transport.requests.isEmpty)

        try database.requestUpload(of: uuid)
        #expect(try upload(transport).sentCount == 1)
        #expect(try database.report(uuid).state == .completed)
    }

    @Test("A report the server took is completed under the server's id, and not sent again")
    func success() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let uuid = try file(minidump())
        let transport = FakeTransport(
            .success(UploadResponse(status: 200, body: Array("bp-7".utf8))))
        var attemptsOnDisk: Int?
        transport.onSend = { [database] in
            attemptsOnDisk = try? database.report(uuid).uploadAttempts
        }
        #expect(
            try upload(transport).reports == [.init(uuid: uuid, result: .sent(serverID: "bp-7"))])
        #expect(attemptsOnDisk == 1)
        let report = try database.report(uuid)
        #expect(report.isUploaded && report.state == .completed && report.serverID == "bp-7")
        #expect(try upload(transport).reports.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test("A failed report stays pending with its attempts counted, and can be tried again")
    func failure() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let uuid = try file(minidump())
        let transport = FakeTransport(
            .success(UploadResponse(status: 500)),
            .failure(.interrupted(server: "http://host", reason: "reset")),
            .success(UploadResponse(status: 202)))
        #expect(try upload(transport).failedCount == 1)
        #expect(try upload(transport).failedCount == 1)
        let report = try database.report(uuid)
        #expect(report.state == .pending && report.uploadAttempts == 2 && !report.isLocked)
        #expect(try upload(transport).sentCount == 1)
    }

    @Test("Reports of which many are begun and filed beside the sending arrive once each")
    func manyAtOnce() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let filed = try (0..<150).map { _ in try file([1, 2, 3]) }
        var rules = DeliveryRules.oneTryEach
        rules.limits.reportsPerMin = 0
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        let results = try upload(transport, rules: rules).reports
        #expect(transport.requests.count == 150)
        #expect(results.count == 150)
        #expect(Set(results.map(\.uuid)) == Set(filed))
        #expect(results.allSatisfy { $0.result == .sent(serverID: "") })
        for uuid in filed {
            let report = try database.report(uuid)
            #expect(report.state == .completed && report.isUploaded && !report.isLocked)
            #expect(report.uploadAttempts == 1)
        }
    }

    @Test("A report that is being sent already is left alone")
    func busy() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let uuid = try file(minidump())
        let attempt = try database.beginUpload(of: uuid)
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(try upload(transport).reports == [.init(uuid: uuid, result: .skipped(.taken))])
        attempt.recordFailure()
        #expect(try upload(transport).sentCount == 1)
    }

    @Test("A report that another process has removed is not in use but gone")
    func gone() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let uuid = try file(minidump())
        let queue = DatabaseQueue(database)
        let listed = try #require(try queue.pendingReports().reports.first)
        try database.delete(uuid)
        guard case .gone = try queue.beginAttempt(on: listed) else {
            Issue.record("it is still there")
            return
        }
    }

    @Test("What the minidump says goes into the form and the URL, with the database's client id")
    func form() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let uuid = try file(minidump()).description
        let client = try database.settings().clientID.description
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        // The minidump is open and stays readable, wherever the report goes afterwards.
        _ = try upload(transport)
        let request = try #require(transport.requests.first)
        #expect(request.url.text == "http://host/?product=daemon&version=1.2&guid=\(client)")
        let text = String(decoding: try request.body.readAll(), as: UTF8.self)
        for (name, value) in [
            ("prod", "daemon"), ("ver", "1.2"), ("guid", client), ("message", "Fatal error: nil"),
            ("list_annotations", "Fatal error: nil"),
        ] {
            #expect(text.contains("name=\"\(name)\"\r\n\r\n\(value)\r\n"))
        }
        #expect(text.contains("name=\"upload_file_minidump\"; filename=\"\(uuid).dmp\""))
    }

    @Test(
        "A minidump that cannot be read is sent all the same, with the client id alone",
        arguments: [
            [], Array("not a minidump".utf8),
            Array("MDMP".utf8) + [UInt8](repeating: 0xff, count: 60),
        ] as [[UInt8]])
    func brokenMinidump(bytes: [UInt8]) throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        _ = try file(bytes)
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(try upload(transport).sentCount == 1)
        let sent = try #require(transport.requests.first).body.readAll()
        let text = String(decoding: sent, as: UTF8.self)
        #expect(
            text.matches(of: /form-data; name="([a-z_]+)"/).map { String($0.1) } == [
                "guid", "upload_file_minidump",
            ])
    }

    @Test("A broken report is told of and does not keep the others from being sent")
    func brokenReport() throws {
        try database.updateSettings { $0.uploadsEnabled = true }
        let broken = Epitaph.ID().description
        let good = try file(minidump())
        mkdir(directory.path("db/pending/\(broken).dmp"), 0o700)
        let summary = try upload(FakeTransport(.success(UploadResponse(status: 200))))
        #expect(summary.reports == [.init(uuid: good, result: .sent(serverID: ""))])
        #expect(summary.problems.count == 1)
        #expect(summary.problems.allSatisfy { $0.contains(broken) })
        #expect(summary.description == "1 sent, 0 failed, 0 left pending, 1 unusable")
    }

    @Test(
        "A report the server is known to have is filed and not sent, whoever has to agree",
        arguments: ["state", "bit"])
    func knownSuccess(place: String) throws {
        let uuid = try file(minidump())
        if place == "state" {
            try database.updateDeliveryState(of: uuid) { $0.acceptedServerID = "bp-3" }
        } else {
            let path = "db/pending/\(uuid.description).meta"
            var metadata = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.path(path))))
            metadata[24] |= 1
            try directory.write(metadata, to: path)
        }
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        #expect(try upload(transport).reports == [.init(uuid: uuid, result: .alreadySent)])
        #expect(transport.requests.isEmpty)
        let report = try database.report(uuid)
        #expect(report.state == .completed && report.isUploaded && report.uploadAttempts == 0)
        #expect(report.serverID == (place == "state" ? "bp-3" : ""))
        #expect(try database.deliveryState(of: uuid) == DeliveryState())
    }

    private final class Listener: UploadDelegate {
        let heard = Mutex<[String]>([])

        func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport) {
            heard.withLock { $0.append("\(problem)") }
        }
    }

    /// What goes out for a report with `edit` made to its attachments, and what the delegate hears.
    private func sent(_ edit: (String) throws -> Void) throws -> (body: String, heard: [String]) {
        try database.updateSettings { $0.uploadsEnabled = true }
        let report = try database.prepareReport()
        var sink = report.sink
        try sink.append(minidump())
        try report.addAttachment("good.log").writeAll(Array("good words".utf8), at: 0)
        let uuid = try report.finish().uuid
        try edit(directory.path("db/attachments/\(uuid.description)"))
        let transport = FakeTransport(.success(UploadResponse(status: 200)))
        var destination = UploadDestination(try UploadURL("http://host/"))
        destination.compression = .none
        let listener = Listener()
        var callbacks = UploadCallbacks()
        callbacks.delegate = listener
        var body = ""
        transport.onSend = {
            body =
                transport.requests.last.flatMap { try? $0.body.readAll() }
                .map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        var uploader = ReportUploader(
            database, to: destination, by: transport, rules: .oneTryEach, callbacks: callbacks,
            clock: TestClock(), network: FakeNetwork())
        #expect(try uploader.uploadPending().sentCount == 1)
        return (body, listener.heard.withLock { $0 })
    }

    @Test("What is no attachment stays behind and is told of, and the rest goes")
    func brokenAttachments() throws {
        let (body, heard) = try sent { place in
            #expect(symlink("/etc/passwd", place + "/link.log") == 0)
            #expect(mkdir(place + "/directory", 0o700) == 0)
            #expect(mkfifo(place + "/pipe", 0o600) == 0)
            try Data("x".utf8).write(to: URL(fileURLWithPath: place + "/odd name"))
        }
        #expect(body.contains("good words") && !body.contains("root:"))
        #expect(heard.count == 4)
        for name in ["link.log", "directory", "pipe", "odd name"] {
            #expect(heard.contains { $0.hasPrefix("\(name) is not attached: ") })
        }
    }

    @Test("A directory of attachments that is a link is not gone into, and the report goes")
    func linkedAttachments() throws {
        let (body, heard) = try sent { place in
            try FileManager.default.removeItem(atPath: place)
            #expect(symlink("/etc", place) == 0)
        }
        #expect(!body.contains("root:") && !body.contains("good words"))
        #expect(heard.count == 1 && heard[0].hasPrefix("attachments is not attached: "))
    }

    @Test("Of very many attachments 128 go, and the others are told of")
    func manyAttachments() throws {
        let (body, heard) = try sent { place in
            for number in 0..<200 {
                try Data("x".utf8).write(to: URL(fileURLWithPath: place + "/z\(number)"))
            }
        }
        #expect(body.contains("good words") && heard.count == 73)
        #expect(heard.allSatisfy { $0.hasSuffix("only 128 of 201 attachments are sent") })
    }
}
