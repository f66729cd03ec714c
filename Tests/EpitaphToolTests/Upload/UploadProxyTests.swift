// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert upload with a proxy in the environment")
struct UploadProxyTests {
    private func upload(to url: String, environment: [String: String]) throws -> Subprocess {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: "11111111-2222-4333-8444-555555555555")
        return try dumpConvert(
            "upload", "--database", sample.path, "--url", url, "--once", "--retry-limit", "0",
            environment: environment)
    }

    @Test("The variables are heard, and told as a possible cause without the login in them")
    func named() throws {
        // Nothing listens on port 1, tcpmux.
        let proxy = "http://user:secret@127.0.0.1:1"
        for (url, name) in [
            ("http://127.0.0.1:9/", "http_proxy"), ("https://127.0.0.1:9/", "https_proxy"),
            ("https://127.0.0.1:9/", "ALL_PROXY"),
        ] {
            let result = try upload(
                to: url, environment: [name: proxy, "no_proxy": "", "NO_PROXY": ""])
            result.expectFailure(1, saying: "Connection refused; \(name) names a proxy")
            #expect(!result.standardError.contains("secret"))
        }
    }

    @Test("no_proxy is heard as well")
    func exempt() throws {
        let collector = try TestServer.collector("ok")
        let result = try upload(
            to: collector.url,
            environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"])
        #expect(result.ending == .exited(0), "\(result.standardError)")
    }
}
