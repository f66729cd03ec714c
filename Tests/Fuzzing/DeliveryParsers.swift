// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import FoundationEssentials

@testable import EpitaphDatabase
@testable import EpitaphHTTP
@testable import EpitaphUpload

/// What reads a database's small files, and what servers say.
enum DeliveryParsers {
    static func database(_ bytes: ByteSlice) {
        let array = bytes.array
        if let metadata = try? ReportMetadata(array) { _ = metadata.bytes }
        _ = LockOwner(array)
        _ = SettingsRecord.laterVersion(array)
        if let settings = SettingsRecord(array) { _ = settings.bytes }
    }

    static func answers(_ bytes: ByteSlice) {
        var head = AnswerHead(limitBytes: 65_536)
        for line in bytes.array.split(separator: 10, omittingEmptySubsequences: false) {
            let isOpen = (Array(line) + [10]).withUnsafeBytes { head.add($0) }
            guard isOpen else { break }
        }
        _ = RetryAfter.seconds(bytes.text, now: Timestamp(secondsSince1970: 1_700_000_000))
        _ = JSONAnswer(UploadResponse(status: 200, body: bytes.array))
        let refusal = StoreRefusal(UploadResponse(status: 403, body: bytes.array))
        _ = refusal.map { StoreRefusal(sentence: $0.sentence) }
    }

    static func requests(_ bytes: ByteSlice) {
        let text = bytes.text
        _ = try? UploadURL(text)
        _ = TemplateText(text)
        _ = HTTPHeader("X-Name", text)
        _ = try? SentryDSN(text)
        _ = SharedCredentials(text).key(of: "default")
        _ = (try? BucketAddress(text, environment: { _ in nil })).map { try? $0.url(key: $0.rest) }
        _ = try? DestinationSpecification(text).destination()
    }
}
