// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert upload to a bucket")
struct UploadBucketTests {
    private static let id = "11111111-2222-4333-8444-555555555555"
    private static let secret = "5ec2e75ec2e75ec2e75ec2e75ec2e7ff"
    private static let objects = [
        "fleet%2F\(id)%2Fwords.log", "fleet%2F\(id).dmp", "fleet%2F\(id).json",
    ]

    let sample: SampleDatabase
    let directory: TemporaryDirectory

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.id)
        directory = try TemporaryDirectory()
    }

    private func upload(
        _ server: TestServer, secret: String? = secret, query: String = "", _ options: String...
    ) throws -> Subprocess {
        var environment = ["HOME": directory.path, "AWS_ACCESS_KEY_ID": "test"]
        environment["AWS_SECRET_ACCESS_KEY"] = secret ?? ""
        environment["AWS_SESSION_TOKEN"] = ""
        environment["AWS_PROFILE"] = ""
        let log = try directory.write(Array("it fell\n".utf8), to: "words.log")
        let run = try dumpConvert(
            [
                "upload", "--database", sample.path, "--once", "--retry-limit", "0",
                "--attach", log,
                "--url", "s3:http://127.0.0.1:\(server.port)/crashes/fleet/{uuid}\(query)",
            ] + options, environment: environment)
        for text in [run.standardOutput, run.standardError] {
            #expect(!text.contains(Self.secret), "\(text)")
        }
        return run
    }

    private func server(_ options: String...) throws -> TestServer {
        try TestServer("bucket.py", ["key=test:\(Self.secret)"] + options)
    }

    /// Names of objects, percent-encoded.
    private func stored(_ server: TestServer) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: server.path("objects"))
            .filter { !$0.hasSuffix(".headers") }.sorted()
    }

    @Test("A report arrives as three objects under its id, and is filed under their name")
    func stored() throws {
        let server = try server()
        let run = try upload(server)
        #expect(run.ending == .exited(0), "\(run.standardError)\(server.complaints)")
        #expect(
            run.standardOutput
                == "\(Self.id) sent, the server calls it fleet/\(Self.id).dmp\n")
        #expect(try stored(server) == Self.objects)
        let entry = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: server.path("objects/\(Self.objects[2])"))))
        let attachments = (entry as? [String: Any])?["attachments"] as? [[String: Any]]
        #expect(attachments?.first?["key"] as? String == "fleet/\(Self.id)/words.log")
    }

    @Test("A wrong key sends nothing and is named; the right one sends at once")
    func wrongKey() throws {
        let server = try server()
        let wrong = try upload(server, secret: "wrong-wrong")
        #expect(wrong.exitStatus != 0)
        #expect(wrong.standardError.contains("SignatureDoesNotMatch"), "\(wrong.standardError)")
        #expect(try stored(server).isEmpty)
        #expect(try upload(server).ending == .exited(0))
        #expect(try stored(server) == Self.objects)
    }

    @Test("Without a key, the sentence says what is missing, and no request is made")
    func noKey() throws {
        let server = try server()
        let run = try upload(server, secret: nil)
        #expect(run.exitStatus != 0)
        #expect(run.standardError.contains("AWS_SECRET_ACCESS_KEY"), "\(run.standardError)")
        #expect(server.text("requests").isEmpty)
    }

    @Test("A key from a file; one that every user may read is pointed out")
    func keyFile() throws {
        let server = try server()
        let file = try directory.write(
            Array(
                "[fleet]\naws_access_key_id = test\naws_secret_access_key = \(Self.secret)\n".utf8),
            to: "keys")
        #expect(chmod(file, 0o644) == 0)
        let run = try upload(server, secret: nil, query: "?keys=\(file)&profile=fleet")
        #expect(run.ending == .exited(0), "\(run.standardError)")
        #expect(run.standardError.contains("every user may read \(file)"), "\(run.standardError)")
        #expect(try stored(server) == Self.objects)
    }

    @Test("A clock that is two hours wrong costs a request, and is said")
    func wrongClock() throws {
        let server = try server("ahead=7200")
        let run = try upload(server)
        #expect(run.ending == .exited(0), "\(run.standardError)")
        #expect(run.standardError.contains("120 min behind"), "\(run.standardError)")
        #expect(server.text("requests").split(separator: "\n").count == 4)
    }

    @Test("A store that breaks off between the objects gets what is missing, and nothing twice")
    func brokenOff() throws {
        let server = try server("answer=503:SlowDown:1")
        let first = try upload(server)
        #expect(first.exitStatus != 0)
        #expect(first.standardError.contains("SlowDown"), "\(first.standardError)")
        #expect(try upload(server, "--now").ending == .exited(0))
        #expect(try stored(server) == Self.objects)
    }

    @Test("A dry run counts the bytes of all objects and sends none")
    func dryRun() throws {
        let server = try server()
        let run = try upload(server, query: "", "--dry-run")
        #expect(run.ending == .exited(0), "\(run.standardError)")
        #expect(run.standardOutput.contains("would be sent to http://127.0.0.1:"))
        #expect(server.text("requests").isEmpty)
    }
}
