// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// An OpenTelemetry collector, by OTLP over HTTP with JSON: each report is one log record. The
/// minidump and attachments are not sent.
///
/// Source: "OTLP Specification", opentelemetry.io/docs/specs/otlp: "OTLP/HTTP" for requests and
/// answers, "JSON Protobuf Encoding" for bodies.
package struct OTLPDestination: TemplateDestination {
    package var template: RequestTemplate

    /// - Parameter template: a POST to the collector's path for logs.
    package init(_ template: RequestTemplate) {
        self.template = template
    }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        // Made from the minidump that other destinations send, so nothing that was removed from it
        // is here.
        let logs = OTLPLogs(report, report.minidump.snapshot())
        let body = StreamedBody([.bytes(ByteSlice(logs.json()))])
        return try template.request(
            body: body, type: .json, values: [.uuid: report.uuid.description])
    }

    /// "Retryable Response Codes" are 429, 502, 503 and 504 alone; after a partial success a client
    /// must not try again.
    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        let meaning = AnswerMeaning(response, now: now)
        switch meaning {
        case .accepted: return rejectsRecords(response) ? .refused : .accepted
        case .retry where ![429, 502, 503, 504].contains(response.status): return .refused
        // There are no attachments to leave out.
        case .tooLarge: return .refused
        case .retry, .refused, .destinationRefused: return meaning
        }
    }

    /// `{"partialSuccess":{"rejectedLogRecords":"1"}}`; the number may also be written as one.
    private func rejectsRecords(_ response: UploadResponse) -> Bool {
        guard let answer = try? JSONValue(parsing: response.body) else { return false }
        return switch answer["partialSuccess"]?["rejectedLogRecords"] {
        case .integer(let count): count > 0
        case .text(let digits): (Int64(digits) ?? 0) > 0
        default: false
        }
    }

    /// A collector has no name for a record.
    package func serverID(in response: UploadResponse) -> String { "" }
}
