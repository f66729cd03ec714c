// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Where events are sent: makes the requests.
    public protocol EventDestination: Sendable {
        /// Scheme, host and port, without credentials.
        var server: String { get }

        /// The request that carries `body`.
        ///
        /// - Parameters:
        ///   - body: events as JSON, one on each line.
        ///   - id: identifies the request; different for each one.
        func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest
    }
}

extension Epitaph {
    /// A destination that makes its requests from a template. `{uuid}` is replaced by the id of the
    /// request. The body is compressed if the template says so.
    public struct TemplateEventDestination: EventDestination {
        /// The request, with `{uuid}` in its URL and headers.
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
