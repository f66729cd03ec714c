// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Reports in a bucket")
struct BucketDestinationTests {
    private let server = PlayedServer()
    private let clock = TestClock(Timestamp(secondsSince1970: 1_795_395_723))

    init() {
        server.answer = { _ in Self.stored }
    }

    private static let stored = UploadResponse(
        status: 200, headers: AnswerHeaders([("ETag", "\"1\"")]))

    private static func error(
        _ status: Int, _ code: String, more: String = "", headers: [(String, String)] = []
    ) -> UploadResponse {
        UploadResponse(
            status: status, headers: AnswerHeaders(headers),
            body: Array("<Error><Code>\(code)</Code><Message>m</Message>\(more)</Error>".utf8))
    }

    private func destination(
        _ text: String = "http://127.0.0.1:8080/crashes/a b/{product}-{uuid}?region=eu-west-1",
        token: String? = nil
    ) throws -> BucketDestination {
        var variables = [
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        ]
        variables["AWS_SESSION_TOKEN"] = token
        let fixed = variables
        return try BucketDestination(
            BucketAddress(text, environment: { fixed[$0] }), clock: clock)
    }

    private func report() throws -> OutgoingReport {
        var report = OutgoingReport.example(["prod": "daemon/1", "ver": "2"])
        report.uuid = try #require(Epitaph.ID("11111111-2222-4333-8444-555555555555"))
        report.messages = ["it fell"]
        report.attachments = ["a.log", "a.log", ".."].map {
            OutgoingAttachment(
                name: $0, content: .bytes(ByteSlice(Array("log of \($0)".utf8))), type: .text)
        }
        return report
    }

    @discardableResult
    private func deliver(
        _ destination: BucketDestination, _ report: OutgoingReport
    ) throws -> UploadResponse {
        var random = FixedRandom()
        return try destination.deliver(
            report, by: server, adjusting: { _ in }, random: &random)
    }

    private func meaning(
        _ destination: BucketDestination, _ response: UploadResponse
    ) -> AnswerMeaning {
        destination.meaning(of: response, now: clock.now())
    }

    @Test("A request that is repeated for another region has what is left of its time")
    func deadline() throws {
        final class Timed: Transport {
            var limits: [Duration] = []
            func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
                limits.append(request.timeLimits.total)
                usleep(2_000)
                return limits.count == 2
                    ? BucketDestinationTests.stored
                    : BucketDestinationTests.error(
                        400, "AuthorizationHeaderMalformed", more: "<Region>eu-north-1</Region>")
            }
        }
        let timed = Timed()
        let destination = try destination()
        var report = try report()
        report.attachments = []
        var random = FixedRandom()
        _ = try destination.deliver(report, by: timed, adjusting: { _ in }, random: &random)
        #expect(timed.limits[0] == .seconds(900))
        #expect(timed.limits[1] <= .seconds(900) - .milliseconds(2))
    }

    @Test("Minidump, attachments and last a JSON that says what there is, each under its own name")
    func objects() throws {
        let destination = try destination()
        let response = try deliver(destination, report())
        #expect(meaning(destination, response) == .accepted)
        let base = "a b/daemon_1-11111111-2222-4333-8444-555555555555"
        #expect(destination.serverID(in: response) == base + ".dmp")
        let url = "http://127.0.0.1:8080/crashes/" + base.replacing(" ", with: "%20")
        #expect(
            server.requests.map(\.url) == [
                url + ".dmp", url + "/a.log", url + "/a.log_2", url + "/_", url + ".json",
            ])
        #expect(server.requests.allSatisfy { $0.method == .put })
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == "*" })
        #expect(try gunzipped(server.requests[0].body) == Array("MDMP".utf8))
        #expect(server.requests[0].headers["content-encoding"] == "gzip")
        let json = try JSONSerialization.jsonObject(with: Data(server.requests[4].body))
        let entry = try #require(json as? [String: Any])
        #expect(entry["id"] as? String == "11111111-2222-4333-8444-555555555555")
        #expect(entry["annotations"] as? [String: String] == ["prod": "daemon/1", "ver": "2"])
        #expect(entry["messages"] as? [String] == ["it fell"])
        let attachments = try #require(entry["attachments"] as? [[String: Any]])
        #expect(attachments.map { $0["name"] as? String } == ["a.log", "a.log", ".."])
        #expect(attachments[1]["key"] as? String == base + "/a.log_2")
        #expect(attachments[0]["bytes"] as? Int == 12)
    }

    /// Made by botocore 1.43.11, S3SigV4Auth, of the same requests at the same time.
    @Test("The signatures are those that Amazon's own library makes")
    func botocore() throws {
        var destination = try destination(
            "http://127.0.0.1:8080/crashes/a%20b/é+{version}{uuid}?region=eu-west-1")
        destination.compression = .none
        var report = try report()
        report.attachments = []
        var seen: [String] = []
        server.answer = { request in
            seen.append(request.headers["authorization"] ?? "")
            return Self.stored
        }
        var random = FixedRandom()
        // The key's name without the id.
        _ = try destination.deliver(
            report, by: server,
            adjusting: { (request) throws(TransportError) in
                guard request.url.text.hasSuffix(".dmp") else { return }
                request.url = try UploadURL(
                    "http://127.0.0.1:8080/crashes/a%20b/%C3%A9%2B1.dmp")
            }, random: &random)
        #expect(
            seen.first
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261123/eu-west-1/s3/aws4_request, "
                + "SignedHeaders=content-type;host;if-none-match;x-amz-content-sha256;x-amz-date, "
                + "Signature=bbea122f11ce3fd4f3b44e079f13d2a13eaa4d7908c6315dbc67a44d896116d0")
        let first = try #require(server.requests.first)
        #expect(first.headers["x-amz-date"] == "20261123T010203Z")
        #expect(first.headers["host"] == "127.0.0.1:8080")
    }

    @Test("A session token is sent, signed, and hidden in answers")
    func token() throws {
        try deliver(destination(token: "token/with+signs=="), report())
        let first = try #require(server.requests.first)
        #expect(first.headers["x-amz-security-token"] == "token/with+signs==")
        #expect(first.headers["authorization"]?.contains("x-amz-date;x-amz-security-token") == true)
    }

    @Test("What is there already counts as stored")
    func again() throws {
        server.answer = { _ in Self.error(412, "PreconditionFailed") }
        let destination = try destination()
        #expect(meaning(destination, try deliver(destination, report())) == .accepted)
        #expect(server.requests.count == 5)
    }

    @Test("A store that understands no conditions gets none from then on")
    func conditions() throws {
        server.answer = { request in
            request.headers["if-none-match"] == nil
                ? Self.stored : Self.error(501, "NotImplemented")
        }
        let destination = try destination()
        #expect(meaning(destination, try deliver(destination, report())) == .accepted)
        #expect(server.requests.count == 6)
        #expect(server.requests[0].body == server.requests[1].body)
        #expect(server.requests[2...].allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test("A refusal ends the delivery, with the store's words in place of its document")
    func refusal() throws {
        server.answer = { request in
            request.url.hasSuffix("/a.log") ? Self.error(403, "AccessDenied") : Self.stored
        }
        let destination = try destination()
        let response = try deliver(destination, report())
        #expect(response.status == 403)
        #expect(response.words == "AccessDenied: m")
        #expect(meaning(destination, response) == .destinationRefused)
        #expect(server.requests.count == 2)
    }

    @Test("A success with an error document, or with nothing of a store's, is none")
    func falseSuccess() throws {
        let destination = try destination()
        server.answer = { _ in Self.error(200, "InternalError") }
        let response = try deliver(destination, report())
        #expect(meaning(destination, response) == .retry(notBeforeSeconds: nil))
        server.answer = { _ in UploadResponse(status: 200, body: Array("<html>log in".utf8)) }
        #expect(throws: TransportError.self) { try deliver(destination, report()) }
    }

    @Test("A redirect is not followed, and says where the bucket is")
    func redirect() throws {
        server.answer = { _ in
            Self.error(
                301, "PermanentRedirect", headers: [("x-amz-bucket-region", "eu-central-1")])
        }
        let destination = try destination()
        let response = try deliver(destination, report())
        #expect(response.words.contains("eu-central-1"))
        #expect(meaning(destination, response) == .destinationRefused)
        server.answer = { _ in Self.error(307, "TemporaryRedirect") }
        let later = try deliver(destination, report())
        #expect(meaning(destination, later) == .retry(notBeforeSeconds: nil))
        #expect(server.requests.count == 2)
    }

    @Test("The region that a store names is signed from then on")
    func region() throws {
        server.answer = { request in
            request.headers["authorization"]?.contains("/eu-central-1/") == true
                ? Self.stored
                : Self.error(
                    400, "AuthorizationHeaderMalformed", more: "<Region>eu-central-1</Region>")
        }
        let destination = try destination()
        #expect(meaning(destination, try deliver(destination, report())) == .accepted)
        #expect(server.requests.count == 6)
        // One that names a region and refuses it is not asked again and again.
        server.answer = { _ in
            Self.error(400, "AuthorizationHeaderMalformed", more: "<Region>x</Region>")
        }
        #expect(meaning(destination, try deliver(destination, report())) == .destinationRefused)
        #expect(server.requests.count == 8)
    }

    @Test("A wrong clock is noticed once, the server's time is signed, and a remark says so")
    func clockSkew() throws {
        server.answer = { request in
            request.headers["x-amz-date"]?.hasPrefix("20261123T02") == true
                ? Self.stored
                : Self.error(
                    403, "RequestTimeTooSkewed",
                    headers: [("Date", "Mon, 23 Nov 2026 02:02:03 GMT")])
        }
        let destination = try destination()
        #expect(destination.remarks.isEmpty)
        #expect(meaning(destination, try deliver(destination, report())) == .accepted)
        #expect(server.requests.count == 6)
        #expect(destination.remarks.first?.contains("60 min behind") == true)
        server.answer = { _ in
            Self.error(
                403, "RequestTimeTooSkewed",
                headers: [("Date", "Mon, 23 Nov 2026 02:02:03 GMT")])
        }
        #expect(meaning(destination, try deliver(destination, report())) == .destinationRefused)
        #expect(server.requests.count == 7)
    }

    @Test("Without a key nothing is sent, and the error says what is missing")
    func noKey() throws {
        let destination = try BucketDestination(
            BucketAddress("https://host/b/{uuid}", environment: { _ in nil }), clock: clock)
        let error = #expect(throws: TransportError.self) { try deliver(destination, report()) }
        #expect(error?.description.contains("AWS_ACCESS_KEY_ID") == true)
        #expect(error?.concernsEveryRequest == true)
        #expect(server.requests.isEmpty)
    }

    @Test("Another key is another destination")
    func identity() throws {
        let salt = Epitaph.ID()
        #expect(
            try destination().identity.fingerprint(salt: salt)
                == destination().identity.fingerprint(salt: salt))
        let other = try BucketDestination(
            BucketAddress(
                "http://127.0.0.1:8080/crashes/a b/{product}-{uuid}?region=eu-west-1",
                environment: { $0.hasPrefix("AWS_") ? "other" : nil }))
        #expect(other.identity != (try destination().identity))
    }
}
