// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("What of a log goes over the wire")
struct ContentTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let program: String?
        let plainType: String
        let gzipType: String
        let gzipEncoding: String?

        var testDescription: String { program ?? "plain" }
    }

    static let cases = [
        Case(program: nil, plainType: "text/plain", gzipType: "text/plain", gzipEncoding: "gzip"),
        Case(
            program: "gzip", plainType: "application/gzip", gzipType: "text/plain",
            gzipEncoding: "gzip"),
        Case(
            program: "xz", plainType: "application/x-xz", gzipType: "application/x-xz",
            gzipEncoding: nil),
    ]

    @Test(
        "Headers tell what the bytes are, and what is compressed is not compressed again",
        arguments: cases)
    func forms(_ form: Case) throws {
        let text = String(repeating: "a line of a log\n", count: 5_000)
        try lab.write(text, to: "app.log.1")
        if let program = form.program {
            let run = try Subprocess.run([program, lab.path + "/app.log.1"])
            #expect(run.ending == .exited(0))
        }
        let name = try #require(lab.names.first)
        let bytes = Array(try #require(FileManager.default.contents(atPath: lab.path + "/" + name)))
        try lab.setAge(of: name, 3_600)
        lab.server.answer(UploadResponse(status: 500))
        var plain = try lab.pass()
        _ = plain.run()
        let asIs = try #require(lab.server.requests.last)
        #expect(asIs.body == bytes)
        #expect(asIs.headers["content-type"] == form.plainType)
        #expect(asIs.headers["content-encoding"] == nil)

        var template = try RequestTemplate(.post, url: "http://logs.example.org/{uuid}/{file}")
        template.compression = .gzip
        var packed = try lab.pass(to: template)
        #expect(packed.run().uploadedCount == 1)
        let request = try #require(lab.server.requests.last)
        #expect(request.headers["content-type"] == form.gzipType)
        #expect(request.headers["content-encoding"] == form.gzipEncoding)
        if form.gzipEncoding == "gzip" {
            let path = try lab.parent.write(request.body, to: "body.gz")
            let unpacked = try Subprocess.run(["gzip", "-dc", path])
            #expect(unpacked.ending == .exited(0))
            #expect(unpacked.standardOutput == text)
        } else {
            #expect(request.body == bytes)
        }
    }

    @Test("The first bytes tell what a log is, not its name")
    func marks() throws {
        #expect(LogForm([]) == .plain)
        #expect(LogForm([0x1f]) == .plain)
        #expect(LogForm([0x28, 0xb5, 0x2f, 0xfd, 0x04]) == .zstandard)
        #expect(LogForm(Array("BZh9".utf8)) == .bzip2)
        try lab.write("no gzip at all", to: "app.log.1.gz")
        var pass = try lab.pass()
        _ = pass.run()
        #expect(lab.server.requests.first?.headers["content-type"] == "text/plain")
    }
}
