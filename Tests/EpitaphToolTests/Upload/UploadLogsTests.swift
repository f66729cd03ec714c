// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert upload-logs", .timeLimit(.minutes(45)))
struct UploadLogsTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// - Parameter age: in seconds.
    private func write(_ text: String, to name: String, age: Double = 3_600) throws {
        let path = try directory.write(Array(text.utf8), to: name)
        try FileManager.default.setAttributes(
            [.modificationDate: (Timestamp.now.adding(seconds: -age)).date], ofItemAtPath: path)
    }

    private func uploadLogs(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["upload-logs", directory.path] + arguments)
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
    }

    @Test("Rolled logs are sent as told, one line each, and deleted")
    func once() throws {
        try write("one", to: "app.log.2", age: 7_200)
        try write("twelve bytes", to: "app.log.1")
        try write("active", to: "app.log")
        let server = try LogServer()
        let headers = try TemporaryDirectory()
        try headers.write(Array("X-Token: secret\n".utf8), to: "headers")
        let result = try uploadLogs(
            "--url", server.url, "--method", "PUT", "--gzip", "--header", "X-Name:  a {file} ",
            "--header", "@" + headers.path("headers"))
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        let received = server.received
        #expect(received.map(\.file) == ["app.log.2", "app.log.1"])
        #expect(received.map(\.method) == ["PUT", "PUT"])
        #expect(received.map { $0.headers["x-name"] } == ["a app.log.2", "a app.log.1"])
        #expect(received.map { $0.headers["x-token"] } == ["secret", "secret"])
        #expect(received.map { $0.headers["content-encoding"] } == ["gzip", "gzip"])
        #expect(
            result.standardOutput
                == "\(received[0].id) app.log.2 3 bytes\n\(received[1].id) app.log.1 12 bytes\n")
        #expect(names == ["app.log"])
    }

    @Test("--json tells all that happens, an object a line")
    func json() throws {
        for number in 1...3 { try write("text", to: "app.log.\(number)", age: Double(number) * 99) }
        let server = try LogServer()
        let result = try uploadLogs("--url", server.url, "--json", "--max-files", "2")
        #expect(result.ending == .exited(1))
        let events = try jsonLines(result.standardOutput)
        #expect(events.map { $0["event"] as? String } == ["discarded", "sent", "sent"])
        #expect(
            events.map { $0["file"] as? String } == ["app.log.3", "app.log.2", "app.log.1"])
        #expect(events[0]["reason"] as? String == "maximumFiles")
        #expect(events[1]["id"] as? String == server.received[0].id)
        #expect(events[1]["status"] as? Int == 201)
        #expect(events[1]["bytes"] as? Int == 4)
        #expect(
            result.standardError
                == "dump-convert: app.log.3 was deleted unsent: there are more rolled logs than "
                + "may be kept\n")
    }

    @Test("A server that cannot be reached is told of once, without what is secret; logs stay")
    func unreachable() throws {
        for number in 1...3 { try write("text", to: "app.log.\(number)") }
        // Nothing listens on the discard port of the loopback.
        let result = try uploadLogs("--url", "http://user:secret@127.0.0.1:9/{uuid}?key=secret")
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput == "")
        let lines = result.standardError.split(separator: "\n")
        #expect(lines.count == 2)
        // Files of one tick of the clock have no order in time.
        #expect(lines[0].hasPrefix("dump-convert: app.log."))
        #expect(lines[0].contains(" was not sent: cannot connect to http://127.0.0.1:9: "))
        #expect(lines[1] == "dump-convert: 2 more left: nothing can be sent now")
        #expect(!result.standardError.contains("secret"))
        #expect(names.count == 3)
    }

    @Test(
        "What makes no sense is a usage error that repeats no secret",
        arguments: [
            ([], "--url URL is missing (or set EPITAPH_LOG_URL)"),
            (["--url", "ftp://u:secret@example.org/"], "only http and https are supported"),
            (["--url", "http://secret.example.org/{nonsense}"], "a brace in it"),
            (["--url", "http://a/", "--header", "secret"], "a header is written NAME: VALUE"),
            (["--url", "http://a/", "--header", "Content-Length: secret"], "content-length"),
            (["--url", "http://a/", "--method", "GET"], "--method takes POST or PUT"),
        ])
    func usage(_ arguments: [String], _ phrase: String) throws {
        let result = try dumpConvert(["upload-logs", directory.path] + arguments)
        result.expectFailure(2, saying: phrase)
        #expect(!result.standardError.contains("secret"))
    }

    @Test("A directory that is not there is told of with its name")
    func missing() throws {
        let result = try dumpConvert("upload-logs", "/nowhere", "--url", "http://127.0.0.1:9/")
        #expect(result.ending == .exited(3))
        #expect(
            result.standardError
                == "dump-convert: cannot open the directory /nowhere: No such file or directory\n")
    }

    @Test(
        "--watch sends what is rolled meanwhile, and ends well at SIGTERM",
        arguments: [SIGTERM, SIGINT])
    func watch(_ signal: Int32) throws {
        let server = try LogServer()
        let outputs = try TemporaryDirectory()
        let child = try Subprocess.spawn(
            [
                Products.executable("dump-convert"), "upload-logs", directory.path, "--watch",
                "--url", server.url,
            ],
            output: outputs.path("out"), error: outputs.path("err"))
        try write("text", to: "app.log.1")
        #expect(eventually(withinSeconds: 60) { server.received.count == 1 })
        #expect(eventually { names.isEmpty })
        // It was printed at once and not at the end.
        #expect(
            eventually {
                (try? String(contentsOfFile: outputs.path("out"), encoding: .utf8))?
                    .contains("app.log.1 4 bytes") == true
            })
        kill(child, signal)
        #expect(Subprocess.wait(for: child, deadlineSeconds: 30) == .exited(0))
        #expect(try String(contentsOfFile: outputs.path("err"), encoding: .utf8) == "")
    }

    @Test(
        "A log takes no more memory than a small one, compressed or not",
        arguments: [[], ["--gzip"]])
    func memory(_ more: [String]) throws {
        let server = try LogServer()
        func peakKilobytes(_ size: Int) throws -> Int {
            try write("x", to: "app.log.1")
            truncate(directory.path("app.log.1"), size)
            try FileManager.default.setAttributes(
                [.modificationDate: (Timestamp.now.adding(seconds: -60)).date],
                ofItemAtPath: directory.path("app.log.1"))
            let script = """
                import resource, subprocess, sys
                subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let run = try Subprocess.run(
                [
                    "python3", "-c", script, Products.executable("dump-convert"), "upload-logs",
                    directory.path, "--url", server.url,
                ] + more, deadlineSeconds: 120)
            #expect(run.ending == .exited(0), "\(run.standardError)")
            return try #require(Int(run.standardOutput.filter(\.isNumber)))
        }
        let small = try peakKilobytes(1 << 20)
        let large = try peakKilobytes(200 << 20)
        #expect(server.received.map(\.length) == [1 << 20, 200 << 20])
        #expect(large - small < 8_192)
    }
}
