// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// An OpenTelemetry collector, by OTLP over HTTP with JSON: each report is one log record, without
/// minidump and attachments. Source: "OTLP Specification", opentelemetry.io/docs/specs/otlp:
/// "OTLP/HTTP" for requests and answers, "JSON Protobuf Encoding" for bodies.
package struct OTLPDestination: TemplateDestination {
    package var template: RequestTemplate

    /// - Parameter template: a POST to the collector's path for logs.
    package init(_ template: RequestTemplate) {
        self.template = template
    }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        // Made from the minidump as it is sent, so nothing that was removed from it is here.
        let logs = OTLPLogs(report, report.minidump.snapshot())
        let body = StreamedBody([.bytes(ByteSlice(logs.json()))])
        return try template.request(
            body: body, type: .json, values: [.uuid: report.uuid.description])
    }

    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        OTLPAnswer.meaning(of: response, now: now)
    }

    /// A collector has no name for a record.
    package func serverID(in response: UploadResponse) -> String { "" }
}

package enum OTLPAnswer {
    /// Only 429, 502, 503 and 504 are "Retryable Response Codes"; no partial success is.
    package static func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        let meaning = AnswerMeaning(response, now: now)
        switch meaning {
        case .accepted: return rejected(response) > 0 ? .refused : .accepted
        case .retry where ![429, 502, 503, 504].contains(response.status): return .refused
        // There are no attachments to leave out.
        case .tooLarge: return .refused
        case .retry, .refused, .destinationRefused: return meaning
        }
    }

    /// `{"partialSuccess":{"rejectedLogRecords":"1"}}`; the number may also be written as one.
    package static func rejected(_ response: UploadResponse) -> Int64 {
        guard let answer = try? JSONValue(parsing: response.body)["partialSuccess"] else {
            return 0
        }
        return ["rejectedLogRecords", "rejectedDataPoints"].reduce(0) { sum, name in
            switch answer[name] {
            case .integer(let count): max(sum, count)
            case .text(let digits): max(sum, Int64(digits) ?? 0)
            default: sum
            }
        }
    }
}

extension Timestamp {
    package var unixNanoseconds: String? {
        guard secondsSince1970 > 0,
            let microseconds = Int64(exactly: (secondsSince1970 * 1_000_000).rounded())
        else { return nil }
        return "\(microseconds)000"
    }
}
