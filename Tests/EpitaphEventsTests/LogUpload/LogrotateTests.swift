// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("Beside logrotate(8)", .timeLimit(.minutes(45)))
struct LogrotateTests {
    let parent: TemporaryDirectory
    let path: String
    let server: LogServer
    let events = EventList()

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        server = try LogServer()
        try Directory.make(path)
    }

    enum Way: String, CaseIterable {
        case create
        case copytruncate
        case compress
        case delayedCompression = "compress\n    delaycompress"
        case dateext
        case compressedDates = "compress\n    dateext"
    }

    private func rotate(_ way: Way, round: Int) throws {
        let configuration = """
            \(path)/app.log {
                rotate 50
                \(way.rawValue)
                dateformat -%Y%m%d-\(round)
            }
            """
        let file = try parent.write(Array(configuration.utf8), to: "logrotate.conf")
        chmod(file, 0o600)
        let run = try Subprocess.run(
            ["/usr/sbin/logrotate", "--force", "--state", parent.path("state"), file])
        guard case .exited = run.ending else {
            Issue.record("logrotate: \(run.ending) \(run.standardError)")
            return
        }
    }

    private func start() throws -> LogUploader {
        var options = LogUploadOptions()
        options.settleTime = .seconds(0.3)
        let uploader = try LogUploader(
            directory: path,
            to: TemplateDestination(try RequestTemplate(.post, url: server.url)),
            options: options, delegate: events
        ) { () throws(TransportError) in try CurlTransport() }
        try uploader.start()
        return uploader
    }

    private var rolled: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0 != "app.log" }
    }

    private func digest(_ text: String) throws -> String {
        let file = try parent.write(Array(text.utf8), to: "text")
        let run = try Subprocess.run(["sha256sum", file])
        return String(run.standardOutput.prefix(64))
    }

    @Test("Each log arrives, while it is renamed, copied and compressed", arguments: Way.allCases)
    func ways(_ way: Way) throws {
        let uploader = try start()
        var digests: [String] = []
        for round in 1...6 {
            let text = String(repeating: "round \(round) of \(way.rawValue)\n", count: 3_000)
            // As a daemon does that opens its log anew after each rotation.
            let log = open(path + "/app.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            _ = text.withCString { Glibc.write(log, $0, strlen($0)) }
            close(log)
            digests.append(try digest(text))
            try rotate(way, round: round)
            // Some rotations come while the last log is on its way, some after.
            if round.isMultiple(of: 2) { usleep(400_000) }
        }
        // With delaycompress the last one stays uncompressed.
        #expect(eventually(withinSeconds: 60) { rolled.isEmpty }, "\(rolled) \(events.events)")
        #expect(uploader.stop(within: .seconds(30)))
        let received = server.received.map(\.sha256)
        #expect(Set(received) == Set(digests), "\(events.events)")
        switch way {
        case .create, .copytruncate, .dateext: #expect(received.count == digests.count)
        // A log that was sent while it began to be compressed comes once more.
        case .compress, .delayedCompression, .compressedDates: break
        }
        #expect(server.complaints == "")
    }
}
