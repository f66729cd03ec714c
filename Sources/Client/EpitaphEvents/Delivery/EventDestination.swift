// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Makes the requests that carry events.
    public protocol EventDestination: Sendable {
        /// Scheme, host and port, without credentials.
        var server: String { get }

        /// - Parameters:
        ///   - body: events as JSON, one per line.
        ///   - id: unique to this request.
        func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest

        /// The requests that carry a batch, in the order sent: by default the one above. None if
        /// the collector needs nothing of the batch.
        func requests(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> [UploadRequest]

        /// What an answer means for the batch: by default what its status says.
        func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning

        /// How many events a success rejected, which are not sent again: by default none.
        func rejectedCount(in response: UploadResponse) -> Int
    }
}

extension Epitaph.EventDestination {
    public func requests(
        body: any Epitaph.BodySource, id: Epitaph.ID
    ) throws(Epitaph.TransportError) -> [Epitaph.UploadRequest] {
        [try request(body: body, id: id)]
    }

    public func meaning(
        of response: Epitaph.UploadResponse, now: Epitaph.Timestamp
    ) -> Epitaph.AnswerMeaning {
        Epitaph.AnswerMeaning(response, now: now)
    }

    public func rejectedCount(in response: Epitaph.UploadResponse) -> Int { 0 }

    static func request(
        _ template: Epitaph.RequestTemplate, _ body: [UInt8]
    ) throws(Epitaph.TransportError) -> Epitaph.UploadRequest {
        try template.request(
            body: StreamedBody([.bytes(ByteSlice(body))]), type: .json, values: [:])
    }

    static func events(
        in body: any Epitaph.BodySource
    ) throws(Epitaph.TransportError) -> [Epitaph.Event] {
        try body.readAll().split(separator: 0x0a).compactMap { Epitaph.Event(line: $0) }
    }
}

extension Epitaph {
    /// Makes requests from a template, replacing `{uuid}` by the request's id. The template decides
    /// whether the body is compressed.
    public struct TemplateEventDestination: EventDestination {
        public var template: RequestTemplate

        /// - Parameter template: a request whose body is the events.
        public init(_ template: RequestTemplate) {
            self.template = template
        }

        public var server: String { template.server }

        public func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest {
            try template.request(
                body: body, type: MediaType("application/x-ndjson") ?? .bytes,
                values: [.uuid: id.description, .file: "events.ndjson"])
        }
    }
}
