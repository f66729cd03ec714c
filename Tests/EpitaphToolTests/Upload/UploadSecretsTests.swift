// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// End to end: whatever a server returns, the secrets of a URL are in the request and
/// nowhere else.
@Suite("Secrets of an upload URL")
struct UploadSecretsTests {
    private static let secret = "5ec2e75ec2e75ec2e75ec2e75ec2e7ff"

    /// The paths below `directory` whose contents or names hold the secret.
    private func leaks(in directory: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory)
        let needle = Data(Self.secret.utf8)
        return paths.filter { path in
            let contents = FileManager.default.contents(atPath: directory + "/" + path)
            return path.contains(Self.secret) || contents?.range(of: needle) != nil
        }
    }

    @Test(
        "They are neither printed nor kept, whatever the server answers",
        arguments: [
            "ok", "grateful-echo", "echo", "broken", "missing", "noise", "close-early", "elsewhere",
            "circle", "header-flood", "reset-after-request",
        ])
    func hidden(answer: String) throws {
        let collector = try TestServer.collector(answer)
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: "11111111-2222-4333-8444-555555555555")
        let secret = Self.secret
        let url = collector.url.replacing("http://", with: "http://user:\(secret)@")
            .replacing("/submit", with: "/\(secret)/submit?key=\(secret)")
        let sent = try dumpConvert(
            "upload", "--database", sample.path, "--once", "--retry-limit", "0",
            environment: ["EPITAPH_UPLOAD_URL": url])
        let listed = try dumpConvert("list", "--database", sample.path)
        for run in [sent, listed] {
            #expect(!run.standardOutput.isEmpty || !run.standardError.isEmpty)
            #expect(!run.standardOutput.contains(secret), "\(run.standardOutput)")
            #expect(!run.standardError.contains(secret), "\(run.standardError)")
        }
        #expect(try leaks(in: sample.path) == [])
    }

    @Test("The search would find them")
    func search() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array("x\(Self.secret)x".utf8), to: "file")
        #expect(try leaks(in: directory.path) == ["file"])
    }
}
