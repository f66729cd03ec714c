// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// An OpenTelemetry collector for events, by OTLP over HTTP with JSON: events are log records,
    /// figures and sessions are metrics. docs/destinations.md has the names.
    public struct OTLPEventDestination: EventDestination {
        private let logs: RequestTemplate
        private let metrics: RequestTemplate

        /// - Parameters:
        ///   - endpoint: the collector's base URL, `https://HOST:4318`; empty for the one that
        ///     OpenTelemetry's variables name, with their headers.
        ///   - headers: further ones, for example with a key. The values are never shown.
        /// - Throws: if an address or header is malformed, or the variables ask for gRPC.
        public init(
            _ endpoint: String = "", headers: [(name: String, value: String)] = []
        ) throws(SettingError) {
            var options = DestinationOptions()
            options.headers = headers
            logs = try OTLPEndpoint(endpoint, for: .logs).template(options)
            metrics = try OTLPEndpoint(endpoint, for: .metrics).template(options)
        }

        public var server: String { logs.server }

        /// The log records alone.
        public func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest {
            try Self.request(logs, OTLPEvents(Self.events(in: body)).logs() ?? [])
        }

        /// Metrics come first: sent again, they are the same points.
        public func requests(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> [UploadRequest] {
            let events = OTLPEvents(try Self.events(in: body))
            var requests: [UploadRequest] = []
            if let body = events.metrics() { requests.append(try Self.request(metrics, body)) }
            if let body = events.logs() { requests.append(try Self.request(logs, body)) }
            return requests
        }

        /// Events that a partial success rejects must not be sent again.
        public func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
            response.isSuccess ? .accepted : OTLPAnswer.meaning(of: response, now: now)
        }

        public func rejectedCount(in response: UploadResponse) -> Int {
            Int(clamping: OTLPAnswer.rejected(response))
        }
    }
}
