// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

/// What a server's answer means for a report.
@Suite struct AnswerMeaningTests {
    static let now = Timestamp(secondsSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(
        "Statuses sort themselves into taken, later, too large and never",
        arguments: [
            (200, AnswerMeaning.accepted), (204, .accepted),
            (299, .accepted), (199, .refused), (301, .refused), (304, .refused),
            (400, .refused), (401, .destinationRefused), (402, .destinationRefused),
            (403, .destinationRefused), (404, .destinationRefused), (405, .destinationRefused),
            (406, .refused), (407, .destinationRefused), (410, .destinationRefused),
            (415, .refused), (421, .destinationRefused), (422, .refused),
            (426, .destinationRefused),
            (408, .retry(notBeforeSeconds: nil)), (409, .refused), (413, .tooLarge),
            (414, .refused), (425, .retry(notBeforeSeconds: nil)),
            (429, .retry(notBeforeSeconds: nil)), (431, .refused), (499, .refused),
            (500, .retry(notBeforeSeconds: nil)), (503, .retry(notBeforeSeconds: nil)),
            (599, .retry(notBeforeSeconds: nil)), (600, .refused), (0, .refused),
        ] as [(Int, AnswerMeaning)])
    func statuses(status: Int, meaning: AnswerMeaning) {
        let response = UploadResponse(status: status, body: Array(" id\n".utf8))
        #expect(AnswerMeaning(response, now: Self.now) == meaning)
    }

    @Test(
        "Of Sentry's limits, the longest that concerns minidumps counts before Retry-After",
        arguments: [
            ("60::organization", 60.0), ("5:error:key, 2700:default;transaction:project", 5),
            ("7:transaction:key", 9), ("30:session;attachment:key,10", 30), ("1e9:error", 86_400),
            ("soon:error", 9), ("-4:error", 9), ("", 9), (" 2.5 : error", 9), (" 2.5 :error", 2.5),
        ])
    func sentryLimits(header: String, seconds: Double) throws {
        let sentry = try SentryDestination(dsn: "https://abc@o1.ingest.example.org/2")
        let response = UploadResponse(
            status: 429,
            headers: AnswerHeaders([("X-Sentry-Rate-Limits", header), ("Retry-After", "9")]))
        #expect(
            sentry.meaning(of: response, now: Self.now) == .retry(notBeforeSeconds: seconds))
    }

    @Test(
        "Retry-After is a number of seconds or a date, and never more than a day",
        arguments: [
            ("120", 120.0), (" 0 ", 0), ("86401", 86_400), ("99999999999999999999999", 86_400),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
            ("Fri, 06 Nov 2099 08:49:37 GMT", 86_400), ("", nil), ("-1", nil), ("1.5", nil),
            ("soon", nil), ("Sun, 06 Nov 1994 08:50:37", nil),
            ("Sun, 06 Foo 1994 08:50:37 GMT", nil),
            ("Sun, 06 Nov 1994 24:50:37 GMT", nil), ("١٢", nil),
        ] as [(String, Double?)])
    func retryAfter(text: String, seconds: Double?) {
        #expect(RetryAfter.seconds(text, now: Self.now) == seconds)
        let response = UploadResponse(status: 503, retryAfter: text)
        #expect(AnswerMeaning(response, now: Self.now) == .retry(notBeforeSeconds: seconds))
    }
}
