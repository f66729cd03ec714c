// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// Sentry's envelope: a line of JSON for itself, and one before each item. "Envelopes",
/// develop.sentry.dev/sdk/foundations/transport/envelopes.
struct SentryEnvelope {
    private var pieces: [StreamedBody.Piece]

    init(_ event: SentryEvent) {
        pieces = [Self.line(["event_id": event.eventID])]
        add(.bytes(ByteSlice(Array(event.json().utf8))), Head(type: "event", type: .json))
    }

    /// Adds a file, which is read while the envelope is sent. `purpose` is Sentry's
    /// `attachment_type`; nil for files that it only shows.
    mutating func add(
        _ file: StreamedBody.Piece, named name: String, type: MediaType = .bytes,
        purpose: String? = nil
    ) {
        add(file, Head(type: "attachment", type: type, filename: name, purpose: purpose))
    }

    func request(
        to url: UploadURL, compression: BodyCompression, timeLimits: TimeLimits, secrets: Secrets
    ) throws(TransportError) -> UploadRequest {
        let (body, headers) = try compression.applied(to: StreamedBody(pieces))
        return UploadRequest(
            .post, to: url, headers: [.contentType(.sentryEnvelope)] + headers, body: body,
            timeLimits: timeLimits, secrets: secrets)
    }

    private struct Head: Encodable {
        let kind: String
        let contentType: String
        let filename: String?
        let purpose: String?
        var length = 0

        init(type kind: String, type: MediaType, filename: String? = nil, purpose: String? = nil) {
            self.kind = kind
            contentType = type.text
            self.filename = filename
            self.purpose = purpose
        }

        enum CodingKeys: String, CodingKey {
            case kind = "type"
            case contentType = "content_type"
            case filename
            case purpose = "attachment_type"
            case length
        }
    }

    private mutating func add(_ contents: StreamedBody.Piece, _ head: Head) {
        var head = head
        head.length = contents.count
        pieces += [Self.line(head), contents, .bytes(ByteSlice(Array("\n".utf8)))]
    }

    private static func line(_ value: some Encodable) -> StreamedBody.Piece {
        // Texts and whole numbers can always be encoded.
        .bytes(ByteSlice(((try? JSONText.encode(value)) ?? []) + Array("\n".utf8)))
    }
}
