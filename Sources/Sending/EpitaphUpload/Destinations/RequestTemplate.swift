// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// A request that is always the same except for its body and the placeholders in braces in its
    /// URL and headers: to a server of your own, to a pre-signed URL of S3, to Loggly.
    ///
    /// The body is sent as it is, or compressed. A URL signed for certain headers needs exactly
    /// these headers; Content-Encoding is not among those that S3 signs by default.
    public struct RequestTemplate: Sendable {
        /// POST or PUT.
        public let method: UploadRequest.Method
        /// Scheme, host and port.
        public let server: String
        /// Whether bodies are sent compressed.
        public var compression = BodyCompression.gzip
        /// When a request is given up.
        public var timeLimits = TimeLimits()
        var caFile: String?
        var clientCertificate: ClientCertificate?
        private let url: TemplateText
        private let headers: [(name: String, value: TemplateText)]
        private let secrets: Secrets
        /// From the URL and headers as written, with their placeholders.
        let identity: DestinationIdentity

        /// - Parameters:
        ///   - method: POST or PUT.
        ///   - url: with placeholders in path and query, not in its host, user or password.
        ///   - headers: sent besides Content-Type, Content-Length and Content-Encoding, in this
        ///     order. A Content-Type here applies to everything that is sent.
        /// - Throws: if the URL or a header cannot be used; the error does not repeat the URL or a
        ///   value.
        public init(
            _ method: UploadRequest.Method, url: String,
            headers: [(name: String, value: String)] = []
        ) throws(SettingError) {
            self.method = method
            guard let text = TemplateText(url) else {
                throw SettingError(
                    "the URL cannot be used: a brace in it is alone or has an unknown word in it;"
                        + " known are \(TemplateText.known)")
            }
            self.url = text
            let example = try Self.url(text, "x")
            guard try Self.url(text, "y").authority == example.authority else {
                throw SettingError(
                    "the URL cannot be used: words in braces may stand in its path and query alone")
            }
            server = example.server
            var hidden = example.secrets
            var parsed: [(name: String, value: TemplateText)] = []
            for (name, value) in headers {
                let text = try Self.header(name, value)
                parsed.append((name, text))
                let shown = text.filled(with: Self.example("x")) { $0 }
                // In `Authorization: Bearer TOKEN`, the word after the scheme is the secret.
                hidden += [shown] + shown.split(separator: " ").map(String.init).suffix(1)
            }
            self.headers = parsed
            identity = DestinationIdentity(
                [method.rawValue, url] + headers.flatMap { [$0.name, $0.value] })
            secrets = Secrets(hidden)
        }

        /// The request that carries `body`. Reads the whole body here if it will be compressed.
        ///
        /// - Parameters:
        ///   - body: sent as it is, or compressed if the template says so.
        ///   - type: of `body`, for Content-Type; ignored if the template has one.
        ///   - values: percent-encoded in the URL. A placeholder without a value here
        ///     becomes `unknown`.
        /// - Throws: `.invalidURL` if the URL cannot be used with these values; another error if
        ///   `body` cannot be read or compressed.
        package func request(
            body: any BodySource, type: MediaType, values: [TemplatePlaceholder: String]
        ) throws(TransportError) -> UploadRequest {
            let url = try UploadURL(url.filled(with: values, encoding: percentEncodedForQuery))
            let (packed, encoding) = try compression.applied(to: body)
            let own = headers.compactMap { name, value in
                // Characters not allowed in a header become spaces: the value may be any file name.
                HTTPHeader(name, value.filled(with: values) { $0.oneLine() })
            }
            let isTyped = own.contains { $0.name.lowercased() == "content-type" }
            var request = UploadRequest(
                method, to: url, headers: (isTyped ? [] : [.contentType(type)]) + encoding + own,
                body: packed, timeLimits: timeLimits, secrets: secrets)
            request.caFile = caFile
            request.clientCertificate = clientCertificate
            return request
        }

        private static func url(
            _ text: TemplateText, _ value: String
        ) throws(SettingError) -> UploadURL {
            try UploadURL(text.filled(with: example(value)) { $0 }, of: "the URL")
        }

        private static func header(
            _ name: String, _ value: String
        ) throws(SettingError) -> TemplateText {
            guard HTTPHeader(name, "") != nil else {
                throw SettingError("a header's name must be letters, digits and dashes")
            }
            let lower = name.lowercased()
            guard !ownHeaders.contains(lower) else {
                throw SettingError("the header \(lower) is set by the uploader itself")
            }
            guard HTTPHeader(name, value) != nil, let text = TemplateText(value) else {
                throw SettingError(
                    "the value of the header \(lower) cannot be used: it has a line break, or a brace"
                        + " that is alone or has an unknown word in it; known are \(TemplateText.known)"
                )
            }
            return text
        }

        private static let ownHeaders: Set<String> = [
            "connection", "content-encoding", "content-length", "expect", "transfer-encoding",
        ]

        private static func example(_ value: String) -> [TemplatePlaceholder: String] {
            Dictionary(uniqueKeysWithValues: TemplatePlaceholder.allCases.map { ($0, value) })
        }
    }
}

extension RequestTemplate: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "\(method.rawValue) to \(server)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "server": server])
    }
}
