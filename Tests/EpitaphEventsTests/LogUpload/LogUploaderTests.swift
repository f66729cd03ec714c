// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("A thread that sends logs as they are rolled", .timeLimit(.minutes(45)))
struct LogUploaderTests {
    let parent: TemporaryDirectory
    let path: String
    let server: LogServer
    let events = EventList()

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        server = try LogServer()
    }

    private func uploader(
        telling events: EventList? = nil,
        makeTransport: @escaping @Sendable () throws(TransportError) -> any Transport = {
            () throws(TransportError) in try CurlTransport()
        }
    ) throws -> LogUploader {
        var options = LogUploadOptions()
        options.settleTime = .seconds(0.1)
        // Nothing is found by chance.
        options.lookInterval = .seconds(3_600)
        return try LogUploader(
            directory: path,
            to: TemplateDestination(try RequestTemplate(.put, url: server.url)),
            options: options, delegate: events ?? self.events, makeTransport: makeTransport)
    }

    private func write(_ text: String, to name: String) throws {
        try writeLog(Array(text.utf8), to: path, name)
    }

    @Test("Logs rolled by the program itself are sent and deleted, until it says stop")
    func rolledByProgram() throws {
        try Directory.make(path)
        let uploader = try uploader()
        try uploader.start()
        try uploader.start()
        for number in 1...3 {
            try write("log \(number)", to: "app.log")
            #expect(rename(path + "/app.log", path + "/app.log.\(number)") == 0)
            #expect(eventually { events.events.count == number })
        }
        #expect(events.events == ["did app.log.1", "did app.log.2", "did app.log.3"])
        #expect(server.received.map(\.file) == ["app.log.1", "app.log.2", "app.log.3"])
        #expect(Set(server.received.map(\.id)).count == 3)
        #expect(uploader.stop(within: .seconds(30)))
        try write("left", to: "app.log.4")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["app.log.4"])
        #expect(server.complaints == "")
    }

    @Test("A directory that is made later is watched from then on")
    func lateDirectory() throws {
        let uploader = try uploader()
        try uploader.start()
        try Directory.make(path)
        try write("text", to: "app.log.1")
        #expect(eventually { server.received.count == 1 })
        #expect(uploader.stop(within: .seconds(30)))
    }

    @Test("Where there is no HTTP library the logs stay, and the delegate is told why")
    func noTransport() throws {
        try Directory.make(path)
        try write("text", to: "app.log.1")
        let uploader = try uploader(makeTransport: { () throws(TransportError) in
            throw .unavailable(reason: "it is not installed")
        })
        try uploader.start()
        #expect(
            eventually {
                events.events == [
                    "failed app.log.1: the HTTP library does not work: it is not installed"
                ]
            })
        #expect(uploader.stop(within: .seconds(30)))
        #expect(FileManager.default.fileExists(atPath: path + "/app.log.1"))
    }

    @Test(
        "An uploader that was never started stops at once, and one that is let go stops by itself")
    func ends() throws {
        try Directory.make(path)
        #expect(try uploader().stop(within: .seconds(0)))
        // The thread keeps the object that calls the delegate until it ends.
        weak var kept: EventList?
        func start() throws {
            let list = EventList()
            kept = list
            try uploader(telling: list).start()
        }
        try start()
        #expect(eventually { kept == nil })
    }
}
