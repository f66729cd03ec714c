// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// What is sent, as in a collector's paths and variables.
package enum OTLPSignal: String, Sendable, CaseIterable {
    case logs, metrics, traces

    fileprivate var path: String { "/v1/" + rawValue }
}

/// The collector of a destination `otlp:`, or if that names none of OpenTelemetry's variables:
/// "OpenTelemetry Protocol Exporter", opentelemetry.io/docs/specs/otel/protocol/exporter.
package struct OTLPEndpoint {
    package let url: String
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var timeout: Duration?
    private(set) var isUncompressed = false
    private(set) var caFile: String?
    private(set) var clientCertificate: ClientCertificate?

    /// - Parameters:
    ///   - place: a URL with or without the path of any signal; empty for that of the variables.
    ///     With a URL no variable counts: keys are for the server that they came with.
    ///   - environment: nil for a variable that is not set or empty.
    package init(
        _ place: String, for signal: OTLPSignal = .logs,
        environment: (String) -> String? = CurrentProcess.environmentVariable
    ) throws(SettingError) {
        guard place.isEmpty else {
            url = Self.adding(signal, to: place) { path in
                OTLPSignal.allCases.first { path.hasSuffix($0.path) }
                    .map { path.dropLast($0.path.count) } ?? path
            }
            return
        }
        func ownVariable(_ name: String) -> String? {
            environment("OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_\(name)")
        }
        /// Variables of a signal count more than those of all.
        func variable(_ name: String) -> String? {
            ownVariable(name) ?? environment("OTEL_EXPORTER_OTLP_\(name)")
        }
        guard variable("PROTOCOL") != "grpc" else {
            throw SettingError(
                "OTLP is sent by HTTP, and OTEL_EXPORTER_OTLP_PROTOCOL asks for gRPC")
        }
        // "Endpoint URLs for OTLP/HTTP": the first "MUST be used as-is", the second is a base.
        url =
            ownVariable("ENDPOINT")
            ?? Self.adding(
                signal,
                to: environment("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318")
        headers = OTLPPairs.read(variable("HEADERS") ?? "")
        timeout = variable("TIMEOUT").flatMap { Int($0) }
            .flatMap { $0 > 0 ? .milliseconds($0) : nil }
        isUncompressed = variable("COMPRESSION") == "none"
        caFile = variable("CERTIFICATE")
        clientCertificate = variable("CLIENT_CERTIFICATE").map {
            ClientCertificate(certificateFile: $0, keyFile: variable("CLIENT_KEY") ?? $0)
        }
    }

    package func template(
        _ options: DestinationOptions = DestinationOptions()
    ) throws(SettingError) -> RequestTemplate {
        var template = try RequestTemplate(.post, url: url, headers: headers + options.headers)
        template.timeLimits = options.timeLimits
        // The user's choice for this upload counts more.
        if let timeout, options.timeLimits == TimeLimits() { template.timeLimits.total = timeout }
        template.compression = isUncompressed ? .none : options.compression
        template.caFile = caFile
        template.clientCertificate = clientCertificate
        return template
    }

    private static func adding(
        _ signal: OTLPSignal, to url: String, _ base: (Substring) -> Substring = { $0 }
    ) -> String {
        let start = base(url.prefix { $0 != "?" })
        let path = start.hasSuffix("/") ? signal.path.dropFirst() : signal.path[...]
        return String(start + path + url.drop { $0 != "?" })
    }
}

/// `NAME=VALUE,NAME=VALUE`, percent-encoded: the form of W3C Baggage without properties.
package enum OTLPPairs {
    package static func read(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: ",").compactMap { pair in
            guard let (start, rest) = pair.halves(at: "=") else { return nil }
            let name = trimmed(start)
            let value = rest.prefix { $0 != ";" }
            return name.isEmpty ? nil : (percentDecoded(name), percentDecoded(trimmed(value)))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
