// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Synchronization
import Testing

/// From a database on disk over libcurl to python's own HTTP server, and back.
@Suite("Delivery from end to end")
struct DeliveryTests {
    let directory: TemporaryDirectory
    let database: ReportDatabase
    let clock = TestClock(Timestamp.now)

    init() throws {
        directory = try TemporaryDirectory()
        database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
        try database.updateSettings { $0.uploadsEnabled = true }
    }

    private func file(attaching names: [String] = []) throws -> Epitaph.ID {
        let report = try database.prepareReport()
        var sink = report.sink
        try sink.append(Array("MDMP and what follows".utf8))
        for name in names {
            let path = try directory.write(Array("line\n".utf8), to: name)
            try report.attach(AttachedFile(path))
        }
        return try report.finish().uuid
    }

    private func uploader(
        _ server: TestServer, _ rules: DeliveryRules = DeliveryRules(),
        _ callbacks: UploadCallbacks = UploadCallbacks(), opening: ReportDatabase? = nil
    ) throws -> ReportUploader<DatabaseQueue> {
        let url = try UploadURL("http://127.0.0.1:\(server.port)/submit")
        return ReportUploader(
            opening ?? database, to: UploadDestination(url), by: try directTransport(),
            rules: rules, callbacks: callbacks, clock: clock)
    }

    private func upload(_ server: TestServer) throws -> UploadSummary {
        var uploader = try uploader(server)
        return try uploader.uploadPending()
    }

    /// The parts of a request: name, file name or -, type and bytes.
    private func parts(_ index: Int, _ server: TestServer) throws -> [String] {
        let text = try String(contentsOfFile: server.path("\(index).parts"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init).sorted()
    }

    private func requestCount(_ server: TestServer) -> Int {
        (0...).first {
            !FileManager.default.fileExists(atPath: server.path("\($0).parts"))
        } ?? 0
    }

    @Test("A server that is down, then busy, then well gets every report once")
    func recovery() throws {
        let server = try TestServer("scripted.py", ["500=down", "503/30=busy", "200=bp-7"])
        let ids = [try file(), try file()]
        #expect(try upload(server).sentCount == 2)
        #expect(requestCount(server) == 4)
        for id in ids {
            let report = try database.report(id)
            #expect(report.state == .completed && report.serverID == "bp-7")
            #expect(try database.deliveryState(of: id) == DeliveryState())
        }
        #expect(try database.reports(.pending).reports.isEmpty)
        // The pause, which the wait for the first report's retry is a part of.
        #expect((30...38).contains(clock.waits.reduce(0, +)))
        #expect(try database.pauseEnd(of: "http://127.0.0.1:\(server.port)") != nil)
    }

    @Test("A report that is too large waits for a choice, and then goes without its attachments")
    func tooLarge() throws {
        let server = try TestServer("scripted.py", ["413=at most 9 bytes", "200=bp-8"])
        let id = try file(attaching: ["daemon.log", "odd name!.bin"])
        #expect(try upload(server).failedCount == 1)
        #expect(
            try parts(0, server) == [
                "daemon.log daemon.log text/plain 5", "guid - text/plain 36",
                "odd_name_.bin odd_name_.bin text/plain 5",
                "upload_file_minidump \(id.description).dmp application/octet-stream 21",
            ])
        let state = try database.deliveryState(of: id)
        #expect(state.attachments == .offered && state.lastOutcome?.status == 413)
        #expect(state.lastOutcome?.words.hasPrefix("at most 9 bytes; its minidump has 21") == true)
        #expect(try upload(server).reports.map(\.result) == [.skipped(.choiceOpen)])

        try database.chooseAttachments(.leftOut, of: id)
        var ignoring = DeliveryRules()
        ignoring.ignoresSchedule = true
        var uploader = try uploader(server, ignoring)
        #expect(try uploader.uploadPending().sentCount == 1)
        #expect(try parts(1, server).count == 2)
        // They stay on the disk.
        #expect(try database.attachmentNames(of: id) == ["daemon.log", "odd_name_.bin"])
    }

    @Test("A refused report keeps the server's words, is not tried by itself, and is on request")
    func refused() throws {
        let server = try TestServer("scripted.py", ["415=no such token", "200=bp-9"])
        let id = try file()
        #expect(try upload(server).failedCount == 1)
        for _ in 0..<2 {
            #expect(
                try upload(server).reports.map(\.result) == [
                    .skipped(.refusedBefore(words: "no such token"))
                ])
        }
        #expect(requestCount(server) == 1 && clock.waits.isEmpty)
        try database.requestUpload(of: id)
        var rules = DeliveryRules()
        rules.ignoresSchedule = true
        var uploader = try uploader(server, rules)
        #expect(try uploader.uploadPending().sentCount == 1)
    }

    @Test("A request for a refused report that is refused again has had its try")
    func refusedAgain() throws {
        let server = try TestServer("scripted.py", ["400"])
        let id = try file()
        try database.updateSettings { $0.uploadsEnabled = false }
        try database.requestUpload(of: id)
        #expect(try upload(server).failedCount == 1)
        #expect(try !database.report(id).isUploadRequested)
        #expect(try upload(server).skippedCount == 1)
        #expect(requestCount(server) == 1)
    }

    @Test("A wrong key parks nothing: one report hears it, and with the right key all go at once")
    func wrongKey() throws {
        let server = try TestServer("scripted.py", ["404=no such project", "200=bp-1"])
        for _ in 0..<3 { _ = try file() }
        #expect(try upload(server).failedCount == 1)
        #expect(try upload(server).skippedCount == 3 && requestCount(server) == 1)
        #expect(try database.reports(.pending).reports.map(\.uploadAttempts) == [1, 0, 0])
        let url = try UploadURL("http://127.0.0.1:\(server.port)/submit?key=right")
        var uploader = ReportUploader(
            database, to: UploadDestination(url), by: try directTransport(), clock: clock)
        #expect(try uploader.uploadPending().sentCount == 3)
        let kept = try String(
            contentsOfFile: directory.path("db/delivery/destinations.json"), encoding: .utf8)
        #expect(!kept.contains("submit") && !kept.contains("right"))
    }

    @Test("A request makes a destination due that refused, and is kept when it refuses again")
    func requestedAgain() throws {
        let server = try TestServer("scripted.py", ["401", "401", "200=bp-2"])
        let id = try file()
        try database.updateSettings { $0.uploadsEnabled = false }
        for _ in 0..<2 {
            try database.requestUpload(of: id)
            #expect(try upload(server).failedCount == 1)
            #expect(try upload(server).skippedCount == 1)
        }
        #expect(try database.report(id).isUploadRequested && requestCount(server) == 2)
        try database.requestUpload(of: id)
        #expect(try upload(server).sentCount == 1)
    }

    @Test("Two uploaders on one database send every report, and none of them twice")
    func together() throws {
        let server = try TestServer("scripted.py", ["200=ok"])
        let ids = Set(try (0..<30).map { _ in try file().description })
        let path = directory.path("db")
        let ended = Mutex(0)
        let sent = Mutex(0)
        let url = try UploadURL("http://127.0.0.1:\(server.port)/submit")
        for _ in 0..<2 {
            try BackgroundThread.start("uploader") { [clock] in
                defer { ended.withLock { $0 += 1 } }
                guard let database = try? ReportDatabase(opening: path, ifMissing: .fail),
                    let transport = try? directTransport()
                else { return }
                var uploader = ReportUploader(
                    database, to: UploadDestination(url), by: transport, rules: .oneTryEach,
                    clock: clock)
                let summary = try? uploader.uploadPending()
                sent.withLock { $0 += summary?.sentCount ?? 0 }
            }
        }
        #expect(eventually { ended.withLock { $0 } == 2 })
        #expect(sent.withLock { $0 } == 30)
        #expect(try database.reports(.completed).reports.count == 30)
        let files = try (0..<requestCount(server)).flatMap { try parts($0, server) }
            .filter { $0.hasPrefix("upload_file_minidump ") }
            .compactMap { $0.split(separator: " ").dropFirst().first?.dropLast(4) }
        #expect(files.count == 30 && Set(files.map(String.init)) == ids)
    }

    @Test("Nobody listens: the pass waits longer each time, and counts each try before it is made")
    func nobody() throws {
        let id = try file()
        // Nothing listens on the discard port of the loopback.
        var uploader = ReportUploader(
            database, to: UploadDestination(try UploadURL("http://127.0.0.1:9/")),
            by: try directTransport(), clock: clock)
        let summary = try uploader.uploadPending()
        #expect(summary.failedCount == 1)
        #expect(try database.report(id).uploadAttempts == 4)
        #expect(clock.waits.count >= 3)
        #expect(try database.deliveryState(of: id).lastOutcome?.status == nil)
        #expect(
            try database.deliveryState(of: id).lastOutcome?.words.hasPrefix("cannot connect")
                == true)
    }
}
