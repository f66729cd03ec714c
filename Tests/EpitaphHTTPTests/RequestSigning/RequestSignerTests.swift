// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP

@Suite("Signatures of requests")
struct RequestSignerTests {
    private func digest(_ text: String) throws -> String {
        try SHA256.digest(of: text.utf8).hexDigits
    }

    @Test("Amazon's test suite", arguments: SuiteCase.all)
    func suite(example: SuiteCase) throws {
        let signer = RequestSigner(key: SuiteCase.key, region: "us-east-1", service: "service")
        let content = RequestSigner.Content(
            method: example.method, path: example.path, query: example.query,
            headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", SuiteCase.time)]
                + example.headers,
            bodyDigest: try digest(example.body))
        let text = try signer.authorization(for: content, time: SuiteCase.time)
        #expect(text.hasSuffix("Signature=" + example.signature), "\(text)")
        #expect(
            text.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                    + "SignedHeaders="))
    }

    @Test("The examples of S3's reference", arguments: StorageCase.all)
    func storage(example: StorageCase) throws {
        let signer = RequestSigner(key: StorageCase.key, region: "us-east-1", service: "s3")
        let body = try digest(example.body)
        let content = RequestSigner.Content(
            method: example.method, path: example.path, query: example.query,
            headers: [
                ("Host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", body),
                ("x-amz-date", StorageCase.time),
            ] + example.headers,
            bodyDigest: body)
        let text = try signer.authorization(for: content, time: StorageCase.time)
        #expect(text.hasSuffix("Signature=" + example.signature), "\(text)")
    }

    @Test(
        "SHA-256 of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func examples(text: String, expected: String) throws {
        #expect(try digest(text) == expected)
    }

    @Test("A time is written as the header has it")
    func time() {
        let time = Timestamp(secondsSince1970: 1_440_938_160.9)
        #expect(RequestSigner.timeText(time) == SuiteCase.time)
    }

    @Test("A key is never printed")
    func hidden() {
        let key = AccessKey(id: "id", secret: "hushhush", sessionToken: "tokentoken")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("id"))
            #expect(!text.contains("hush") && !text.contains("token"), "\(text)")
        }
    }

    /// Where libcurl was built with GnuTLS there is no OpenSSL.
    @Test("nettle gives the same digests and codes as OpenSSL")
    func nettle() throws {
        let directory = try TemporaryDirectory()
        let system = "\(Products.packageRoot)/Sources/System"
        let sources = "\(system)/CEpitaphLibraries"
        let program = directory.path("nettle")
        let compiler = try Subprocess.run([
            "clang", "-std=gnu17", "-Wall", "-Werror", "-I\(sources)/crypto",
            "-I\(sources)/include", "-I\(system)/CEpitaphSystem/include",
            Products.fixture("nettle.c"), "\(sources)/crypto/nettle.c",
            "\(sources)/crypto/openssl.c", "\(sources)/loaded_library.c",
            "\(system)/CEpitaphSystem/exit_gate.c",
            "-ldl", "-o", program,
        ])
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
        let run = try Subprocess.run([program])
        #expect(run.ending == .exited(0), "\(run.standardOutput)\(run.standardError)")
    }
}
