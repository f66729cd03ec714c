// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// w3.org/TR/trace-context, 3.2.2: the annotation `traceparent`, or `trace_id` and `span_id`.
package struct TraceContext: Equatable {
    /// 32 and 16 hexadecimal digits in lower case, not all zeros.
    let traceID: String
    private(set) var spanID: String?
    private(set) var flags: UInt8?

    /// Nil without a valid trace id.
    init?(_ annotations: [String: String]) {
        let parts = (annotations["traceparent"] ?? "").split(
            separator: "-", omittingEmptySubsequences: false)
        if parts.count >= 4, parts[0].count == 2, parts[0] != "ff",
            let trace = Self.id(parts[1], digits: 32), let span = Self.id(parts[2], digits: 16)
        {
            traceID = trace
            spanID = span
            flags = parts[3].count == 2 ? UInt8(parts[3], radix: 16) : nil
            return
        }
        guard let trace = annotations["trace_id"].flatMap({ Self.id($0, digits: 32) }) else {
            return nil
        }
        traceID = trace
        spanID = annotations["span_id"].flatMap { Self.id($0, digits: 16) }
    }

    package static func fields(_ annotations: [String: String]) -> [String: JSONValue] {
        guard let trace = TraceContext(annotations) else { return [:] }
        var fields = ["traceId": JSONValue.text(trace.traceID)]
        if let id = trace.spanID { fields["spanId"] = .text(id) }
        if let flags = trace.flags { fields["flags"] = .integer(Int64(flags)) }
        return fields
    }

    private static func id(_ text: some StringProtocol, digits: Int) -> String? {
        guard text.utf8.count == digits, text.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            text.contains(where: { $0 != "0" })
        else { return nil }
        return text.lowercased()
    }
}
