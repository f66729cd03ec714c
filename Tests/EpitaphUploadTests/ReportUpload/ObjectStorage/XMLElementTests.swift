// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("What object stores answer")
struct XMLElementTests {
    private func read(_ text: String) -> XMLElement? { XMLElement(Array(text.utf8)) }

    @Test("Elements, characters, references, comments and character data")
    func document() throws {
        let root = try #require(
            read(
                """
                \u{feff}<?xml version="1.0" encoding="UTF-8"?>
                <!-- a < b --><s3:Error xmlns:s3="http://s3">
                <Code>No&amp;Such&#x42;&#117;cket</Code>
                <Message>a<![CDATA[<b>]]>c</Message><Empty/><Empty a="1" /></s3:Error>
                """))
        #expect(root.name == "Error")
        #expect(root["Code"] == "No&SuchBucket")
        #expect(root["Message"] == "a<b>c")
        #expect(root["Empty"] == "")
        #expect(root.children.count == 4)
        #expect(root["None"] == nil)
    }

    @Test(
        "What is not whole or not such a document is none",
        arguments: [
            "", "words", "<a>", "<a><b></a>", "<a></b>", "<a>&b;</a>", "<a>&amp</a>", "<a>& b</a>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a", "< a></a>", "<></>", "</a>",
            "<a><![CDATA[</a>", "words<a/>", "<?xml", "<a>&#xd800;</a>",
            String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
        ])
    func faults(text: String) {
        #expect(read(text) == nil)
    }

    @Test("A document of the allowed depth is read, and a long one in little time")
    func limits() {
        let deep = String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)
        #expect(read(deep) != nil)
        let long = "<l>" + String(repeating: "<k>&lt;x&gt;</k>", count: 50_000) + "</l>"
        #expect(read(long)?.children.count == 50_000)
        // No end for any of the starts.
        #expect(read("<a>" + String(repeating: "<![CDATA[", count: 20_000)) == nil)
    }

    private func refusal(
        _ status: Int, _ code: String, more: String = "", headers: [(String, String)] = []
    ) -> StoreRefusal? {
        StoreRefusal(
            UploadResponse(
                status: status, headers: AnswerHeaders(headers),
                body: Array(
                    "<Error><Code>\(code)</Code><Message>m</Message>\(more)</Error>".utf8)))
    }

    @Test(
        "A store's code says what a refusal means",
        arguments: [
            (403, "AccessDenied", AnswerMeaning.destinationRefused),
            (403, "SignatureDoesNotMatch", .destinationRefused),
            (403, "InvalidAccessKeyId", .destinationRefused),
            (403, "RequestTimeTooSkewed", .destinationRefused),
            (400, "ExpiredToken", .destinationRefused),
            (400, "AuthorizationHeaderMalformed", .destinationRefused),
            (404, "NoSuchBucket", .destinationRefused),
            (400, "EntityTooLarge", .tooLarge), (413, "", .tooLarge),
            (400, "RequestTimeout", .retry(notBeforeSeconds: nil)),
            (400, "BadDigest", .retry(notBeforeSeconds: nil)),
            (400, "XAmzContentSHA256Mismatch", .retry(notBeforeSeconds: nil)),
            (409, "ConditionalRequestConflict", .retry(notBeforeSeconds: nil)),
            (503, "SlowDown", .retry(notBeforeSeconds: nil)),
            (500, "InternalError", .retry(notBeforeSeconds: nil)),
            (200, "InternalError", .retry(notBeforeSeconds: nil)),
            (200, "Unheard", .retry(notBeforeSeconds: nil)),
            (400, "KeyTooLongError", .refused), (418, "Unheard", .refused),
        ])
    func meanings(status: Int, code: String, meaning: AnswerMeaning) throws {
        let refusal = try #require(self.refusal(status, code))
        let byStatus = AnswerMeaning(
            UploadResponse(status: status), now: .init(secondsSince1970: 0))
        #expect(refusal.meaning(byStatus) == meaning)
        #expect(StoreRefusal(sentence: refusal.sentence).meaning(byStatus) == meaning)
    }

    @Test("Another region is named, wherever the store says it")
    func region() throws {
        let header = refusal(
            301, "PermanentRedirect", more: "<Endpoint>b.s3.amazonaws.com</Endpoint>",
            headers: [("x-amz-bucket-region", "eu-west-1")])
        #expect(header?.region == "eu-west-1")
        #expect(header?.sentence.contains("eu-west-1") == true)
        #expect(header?.sentence.contains("b.s3.amazonaws.com") == true)
        #expect(
            refusal(400, "AuthorizationHeaderMalformed", more: "<Region>x-1</Region>")?.region
                == "x-1")
        #expect(
            refusal(400, "AuthorizationHeaderMalformed", more: "<Region>x/\n1</Region>")?.region
                == nil)
    }

    @Test("A success without an error document is none, words of a proxy are kept")
    func others() {
        #expect(StoreRefusal(UploadResponse(status: 200)) == nil)
        #expect(
            StoreRefusal(UploadResponse(status: 200, body: Array("<ListBucketResult/>".utf8)))
                == nil)
        let proxy = StoreRefusal(UploadResponse(status: 502, body: Array("bad gateway".utf8)))
        #expect(proxy?.sentence == "bad gateway")
    }
}
