// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@Suite("dump-convert upload --watch")
struct UploadWatchTests {
    private static let first = "11111111-2222-4333-8444-555555555555"
    private static let second = "22222222-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.first)
    }

    /// Runs `upload --watch` while `body` runs, then asks it to stop.
    ///
    /// - Returns: what it printed, by then.
    private func watching(
        _ options: [String], signal: Int32 = SIGTERM, _ body: () throws -> Void
    ) throws -> Subprocess {
        // A shell starts it in the background, where SIGINT would be ignored, and passes the
        // request to stop on to it.
        let directory = try TemporaryDirectory()
        let script = """
            env --default-signal=INT "$@" &
            child=$!
            until [ -e "\(directory.path("stop"))" ] || [ $SECONDS -gt 50 ]; do sleep 0.02; done
            kill -\(signal) $child
            wait $child
            """
        let command =
            [
                "bash", "-c", script, "bash", Products.executable("dump-convert"), "upload",
                "--database", sample.path, "--watch", "--once",
            ] + options
        let result = Mutex<Result<Subprocess, any Error>?>(nil)
        let thread = Thread {
            let ended = Result { try Subprocess.run(command, deadlineSeconds: 60) }
            result.withLock { $0 = ended }
        }
        thread.start()
        defer { _ = FileManager.default.createFile(atPath: directory.path("stop"), contents: nil) }
        try body()
        _ = try directory.write([], to: "stop")
        try #require(eventually { result.withLock { $0 != nil } })
        return try #require(result.withLock { $0 }).get()
    }

    private func completedCount() throws -> Int {
        try sample.database.reports(.completed).reports.count
    }

    @Test(
        "Reports are sent as they come, and SIGTERM or SIGINT ends it at once",
        arguments: [SIGTERM, SIGINT])
    func comesAndGoes(signal: Int32) throws {
        let collector = try TestServer.collector("ok")
        let result = try watching(["--url", collector.url], signal: signal) {
            try #require(eventually { (try? completedCount()) == 1 })
            try sample.file(Sample.minidump(), id: Self.second)
            try #require(eventually { (try? completedCount()) == 2 })
        }
        #expect(result.ending == .exited(0))
        #expect(
            result.standardOutput
                == "\(Self.first) sent, the server calls it bp-1234\n"
                + "\(Self.second) sent, the server calls it bp-1234\n")
        #expect(result.standardError == "dump-convert: 2 sent\n")
    }

    @Test("A request to stop ends a request to a server that does not answer")
    func stalled() throws {
        let collector = try TestServer.collector("stall")
        let result = try watching(["--url", collector.url]) {
            try #require(
                eventually {
                    try sample.database.reports(.pending).reports.first?.uploadAttempts == 1
                })
        }
        #expect(result.ending == .exited(0))
        // No failure of the server's: the next launch tries at once.
        #expect(try sample.database.reports(.pending).reports.first?.uploadAttempts == 0)
        #expect(
            result.standardError
                == "dump-convert: 0 sent, 1 left pending: 1 stopped before they were sent\n")
    }

    @Test("A request to stop ends the wait for a retry")
    func waiting() throws {
        let collector = try TestServer.collector("broken")
        let result = try watching(["--url", collector.url, "--retry-interval", "300"]) {
            // Once the answer is noted.
            let state = "\(sample.path)/delivery/\(Self.first).json"
            try #require(eventually { FileManager.default.fileExists(atPath: state) })
        }
        #expect(result.ending == .exited(1))
        #expect(try sample.database.reports(.pending).reports.count == 1)
    }
}
