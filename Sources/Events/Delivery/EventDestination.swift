// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportUpload

/// Where events go: makes the request that carries some of them.
public protocol EventDestination: Sendable {
    /// Scheme, host and port, without credentials.
    var server: String { get }

    /// The request that carries `body`.
    ///
    /// - Parameters:
    ///   - body: events as JSON, one on a line.
    ///   - id: of the request; another one each time.
    func request(
        body: any BodySource, id: UUID
    ) throws(TransportError) -> UploadRequest
}

/// A destination that gets events as the body of a request made from a template. `{uuid}` is the
/// request's id. The body is compressed if the template says so.
public struct TemplateEventDestination: EventDestination {
    /// The request, with `{uuid}` in URL and headers.
    public var template: RequestTemplate

    /// - Parameter template: a request whose body is the events.
    public init(_ template: RequestTemplate) {
        self.template = template
    }

    public var server: String { template.server }

    public func request(
        body: any BodySource, id: UUID
    ) throws(TransportError) -> UploadRequest {
        try template.request(
            body: body, type: MediaType("application/x-ndjson") ?? .bytes,
            values: [.uuid: id.uuidString.lowercased(), .file: "events.ndjson"])
    }
}
