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
            logs = try OTLPEndpoint(endpoint, for: .logs).template(headers)
            metrics = try OTLPEndpoint(endpoint, for: .metrics).template(headers)
        }

        public var server: String { logs.server }

        /// The log records alone.
        public func request(
            body: any BodySource, id: Epitaph.ID
        ) throws(TransportError) -> UploadRequest {
            try Self.request(logs, OTLPEvents(try Self.lines(of: body)).logs() ?? [])
        }

        /// Metrics come first: sent again, they are the same points.
        func requests(body: any BodySource) throws(TransportError) -> [UploadRequest] {
            let events = OTLPEvents(try Self.lines(of: body))
            var requests: [UploadRequest] = []
            if let body = events.metrics() { requests.append(try Self.request(metrics, body)) }
            if let body = events.logs() { requests.append(try Self.request(logs, body)) }
            return requests
        }

        private static func request(
            _ template: RequestTemplate, _ body: [UInt8]
        ) throws(TransportError) -> UploadRequest {
            try template.request(
                body: StreamedBody([.bytes(ByteSlice(body))]), type: .json, values: [:])
        }

        /// Lines that hold no event are left out.
        private static func lines(of body: any BodySource) throws(TransportError) -> [Event] {
            var bytes = [UInt8](repeating: 0, count: body.contentLength)
            var count = 0
            while count < bytes.count {
                var failure: TransportError?
                let read = bytes.withUnsafeMutableBytes { buffer -> Int in
                    do throws(TransportError) {
                        return try body.read(
                            into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                    } catch {
                        failure = error
                        return 0
                    }
                }
                if let failure { throw failure }
                guard read > 0 else { break }
                count += read
            }
            return bytes.prefix(count).split(separator: 0x0a).compactMap { Event(line: $0) }
        }
    }
}
