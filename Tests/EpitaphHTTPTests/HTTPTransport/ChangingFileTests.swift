// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

/// From a database over libcurl to a server that only takes whole requests.
@Suite("A report's file that changes while libcurl sends it")
struct ChangingFileTests {
    /// Does something to the file once some of the body is gone.
    private final class Meddler: Transport {
        let transport: CurlTransport
        var edit: (() throws -> Void)?

        init(_ transport: CurlTransport) { self.transport = transport }

        func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
            var request = request
            request.body = Body(request.body, edit)
            return try transport.send(request)
        }

        private final class Body: BodySource {
            let body: any BodySource
            var edit: (() throws -> Void)?
            var given = 0

            init(_ body: any BodySource, _ edit: (() throws -> Void)?) {
                self.body = body
                self.edit = edit
            }

            var contentLength: Int { body.contentLength }

            func read(
                into buffer: UnsafeMutableRawBufferPointer
            ) throws(TransportError) -> Int {
                if given > 1 << 20, let edit {
                    self.edit = nil
                    do { try edit() } catch { Issue.record(error) }
                }
                let count = try body.read(into: buffer)
                given += count
                return count
            }

            func rewind() throws(TransportError) { try body.rewind() }
        }
    }

    let directory: TemporaryDirectory
    let database: ReportDatabase

    init() throws {
        directory = try TemporaryDirectory()
        database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
        try database.updateSettings { $0.uploadsEnabled = true }
    }

    private func file() throws -> Report {
        var random = SystemRandomNumberGenerator()
        let words = (0..<(1 << 19)).map { _ in random.next() as UInt64 }
        let report = try database.prepareReport()
        var sink = report.sink
        try words.withUnsafeBytes { try sink.append($0) }
        return try report.finish()
    }

    @Test(
        "The request is broken off, the report kept with the reason, and sent whole another time",
        arguments: ["shorter", "longer", "other", "gone"], [BodyCompression.none, .gzip])
    func changes(change: String, compression: BodyCompression) throws {
        let server = try TestServer("scripted.py", ["200=bp-1"])
        let report = try file()
        let path = report.path
        var destination = UploadDestination(
            try UploadURL("http://127.0.0.1:\(server.port)/submit"))
        destination.compression = compression
        let transport = Meddler(try directTransport())
        var uploader = ReportUploader(
            database, to: destination, by: transport, rules: .oneTryEach,
            clock: TestClock(Timestamp.now))
        transport.edit = {
            usleep(20_000)
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            switch change {
            case "shorter": try file.truncate(atOffset: 1 << 19)
            case "longer":
                try file.seekToEnd()
                try file.write(contentsOf: [1, 2, 3])
            case "other": try file.write(contentsOf: [1, 2, 3])
            default: try FileManager.default.removeItem(atPath: path)
            }
        }
        let results = try uploader.uploadPending().reports.map(\.result)
        let parts = server.path("0.parts")
        guard change != "gone" else {
            // Its name may go, and even it: the file that was opened is sent to its end.
            #expect(results == [.sent(serverID: "bp-1")])
            #expect(try String(contentsOfFile: parts, encoding: .utf8).contains(" 4194304\n"))
            return
        }
        #expect(results.count == 1 && results.first?.description.contains(path) == true)
        #expect(results.first?.description.contains("while it was being sent") == true)
        #expect(try database.report(report.uuid).state == .pending)
        #expect(!FileManager.default.fileExists(atPath: parts))
        transport.edit = nil
        #expect(try uploader.uploadPending().sentCount == 1)
    }
}
