// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// What is sent, as in a collector's paths and variables.
package enum OTLPSignal: String, Sendable {
    case logs
    case metrics
}

/// The collector of a destination `otlp:`, as in the destination or, if that names none, as
/// OpenTelemetry's variables say.
///
/// Source: "OpenTelemetry Protocol Exporter", opentelemetry.io/docs/specs/otel/protocol/exporter.
package struct OTLPEndpoint {
    package let url: String
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var timeout: Duration?
    private(set) var isUncompressed = false
    /// The file with the authorities to trust; nil for the system's.
    package private(set) var certificateFile: String?

    /// - Parameters:
    ///   - place: a URL with or without the path of the signal; empty for that of the variables. With a
    ///     URL no variable counts: keys are for the server that they came with.
    ///   - environment: returns the value of a variable; nil if it is not set or empty.
    package init(
        _ place: String, for signal: OTLPSignal = .logs,
        environment: (String) -> String? = CurrentProcess.environmentVariable
    ) throws(SettingError) {
        guard place.isEmpty else {
            url = Self.complete(place, for: signal)
            return
        }
        /// Variables of a signal count more than those of all.
        func variable(_ name: String) -> String? {
            environment("OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_\(name)")
                ?? environment("OTEL_EXPORTER_OTLP_\(name)")
        }
        guard variable("PROTOCOL") != "grpc" else {
            throw SettingError(
                "OTLP is sent by HTTP, and OTEL_EXPORTER_OTLP_PROTOCOL asks for gRPC")
        }
        url =
            environment("OTEL_EXPORTER_OTLP_\(signal.rawValue.uppercased())_ENDPOINT")
            ?? Self.complete(
                environment("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318", for: signal)
        headers = OTLPPairs.read(variable("HEADERS") ?? "")
        timeout = variable("TIMEOUT").flatMap { Int($0) }
            .flatMap { $0 > 0 ? .milliseconds($0) : nil }
        isUncompressed = variable("COMPRESSION") == "none"
        certificateFile = variable("CERTIFICATE")
    }

    func destination(_ options: DestinationOptions) throws(SettingError) -> OTLPDestination {
        var options = options
        // What somebody chose for this upload counts more.
        if let timeout, options.timeLimits == TimeLimits() { options.timeLimits.total = timeout }
        if isUncompressed { options.compression = .none }
        return options.applied(
            to: OTLPDestination(
                try RequestTemplate(.post, url: url, headers: headers + options.headers)))
    }

    /// A POST to the collector's path.
    package func template(
        _ further: [(name: String, value: String)]
    ) throws(SettingError) -> RequestTemplate {
        var template = try RequestTemplate(.post, url: url, headers: headers + further)
        if let timeout { template.timeLimits.total = timeout }
        if isUncompressed { template.compression = .none }
        return template
    }

    /// With the path of the signal, once.
    private static func complete(_ base: String, for signal: OTLPSignal) -> String {
        let path = "v1/" + signal.rawValue
        let (start, query) = (base.prefix { $0 != "?" }, base.drop { $0 != "?" })
        guard !start.hasSuffix("/" + path) else { return base }
        return start + (start.hasSuffix("/") ? "" : "/") + path + query
    }
}

/// `NAME=VALUE,NAME=VALUE`, percent-encoded, as in OpenTelemetry's variables: the form of W3C
/// Baggage without properties.
package enum OTLPPairs {
    package static func read(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: ",").compactMap { pair in
            guard let mark = pair.firstIndex(of: "=") else { return nil }
            let value = pair[mark...].dropFirst().prefix { $0 != ";" }
            let name = trimmed(pair[..<mark])
            return name.isEmpty ? nil : (percentDecoded(name), percentDecoded(trimmed(value)))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
