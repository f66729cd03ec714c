// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The JSON document beside a minidump in a bucket, for a collector that does not open the
/// minidump. It is stored last, so if it exists, the whole report does.
struct BucketEntry: Encodable {
    let version = 1
    let id: String
    let client: String
    let annotations: [String: String]
    let messages: [String]
    let minidump: Object
    let attachments: [Object]

    struct Object: Encodable {
        var name: String?
        let key: String
        /// Before compression.
        let bytes: Int
        let type: String
    }

    init(_ report: OutgoingReport, minidump: Object, attachments: [Object]) {
        id = report.uuid.description
        client = report.clientID.description
        annotations = report.annotations
        messages = report.messages
        self.minidump = minidump
        self.attachments = attachments
    }

    func json() -> [UInt8] {
        // Texts and numbers can always be encoded.
        return (try? JSONText.encode(self)) ?? Array("{}".utf8)
    }
}
