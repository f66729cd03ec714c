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
