// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert explain, buckets")
struct ExplainBucketTests {
    private static let keys = [
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
    ]

    /// A bucket with objects, by their names as files of the server.
    private func bucket(_ objects: [String: [UInt8]], _ options: String...) throws -> TestServer {
        let server = try TestServer("bucket.py", options)
        try FileManager.default.createDirectory(
            atPath: server.path("objects"), withIntermediateDirectories: true)
        for (name, bytes) in objects {
            let path = server.path("objects/\(name)")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try Data("{}".utf8).write(to: URL(fileURLWithPath: path + ".headers"))
        }
        return server
    }

    private func errors(_ text: String) throws -> [String: String?] {
        var errors: [String: String?] = [:]
        for line in text.split(separator: "\n") {
            let object = try jsonObject(line)
            errors[try #require(object["input"] as? String)] = object["error"] as? String
        }
        return errors
    }

    @Test("A prefix stands for the minidumps below it, of which a broken one costs its line")
    func prefix() throws {
        let minidump = try Sample.minidump()
        let server = try bucket(
            [
                "fleet%2Fa.dmp": minidump, "fleet%2Fa.json": [0x7b], "fleet%2Fb%20c.dmp": minidump,
                "fleet%2Fbroken.dmp": [1, 2], "fleet%2Fz.dmp": minidump, "other%2Fd.dmp": minidump,
            ], "page=2")
        let place = "s3:http://127.0.0.1:\(server.port)/crashes/"
        let result = try dumpConvert(
            ["explain", "--jobs", "2", place + "fleet/", place + "fleet/missing.dmp"],
            environment: Self.keys)
        let errors = try errors(result.standardOutput)
        #expect(
            Set(errors.keys)
                == Set(["a", "b%20c", "broken", "missing", "z"].map { place + "fleet/\($0).dmp" }))
        #expect(errors[place + "fleet/broken.dmp"]??.contains("is neither a minidump") == true)
        #expect(errors[place + "fleet/missing.dmp"]??.contains("is not there") == true)
        #expect(errors.values.filter { $0 == nil }.count == 3)
        #expect(result.exitStatus == 1)
        #expect(server.complaints.isEmpty, "\(server.complaints)")
    }

    @Test(
        "What no report can be had for ends the run with a sentence, and costs no report its line",
        arguments: ["", "a.dmp"])
    func wrongKeys(key: String) throws {
        let server = try bucket(["a.dmp": Sample.minidump()])
        var keys = Self.keys
        keys["AWS_SECRET_ACCESS_KEY"] = "another-secret"
        let result = try dumpConvert(
            ["explain", "s3:http://127.0.0.1:\(server.port)/crashes/\(key)"], environment: keys)
        #expect(result.exitStatus == 1)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("SignatureDoesNotMatch"))
        #expect(!result.standardError.contains("another-secret"))
    }

    @Test("A store that sends an object byte by byte gets half of the report's time, and no more")
    func dripping() throws {
        let server = try bucket(["a.dmp": Sample.minidump()], "drip=0.02")
        let result = try dumpConvert(
            [
                "explain", "--timeout", "2", "--patience", "1",
                "s3:http://127.0.0.1:\(server.port)/crashes/a.dmp",
            ], environment: Self.keys)
        #expect(result.exitStatus == 1)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("no whole answer within 1 s"))
    }

    @Test(
        "A store that is gone is tried again, and then the run ends without a line",
        arguments: ["", "a.dmp"])
    func gone(key: String) throws {
        // Nothing listens on the discard service's port.
        let result = try dumpConvert(
            ["explain", "--patience", "2", "s3:http://127.0.0.1:9/crashes/\(key)"],
            environment: Self.keys)
        #expect(result.exitStatus == 1)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("cannot connect to http://127.0.0.1:9"))
        #expect(result.standardError.contains("it is tried again"))
    }
}
