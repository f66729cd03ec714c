// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// One request as a value; only its body is a stream.
    public struct UploadRequest {
        /// The HTTP methods used here, RFC 9110 9.3.
        public enum Method: String, Sendable {
            /// RFC 9110 9.3.3
            case post = "POST"
            /// RFC 9110 9.3.4
            case put = "PUT"
            /// RFC 9110 9.3.1; sent without a body.
            case get = "GET"
            /// RFC 9110 9.3.2; sent without a body, and its answer has none.
            case head = "HEAD"
        }

        package enum Redirects: Sendable {
            /// 307 and 308 to the same scheme, host and port; others are an error.
            case onSameServer
            /// None: a redirect is an answer. A signature is valid for one address only.
            case none
        }

        package var method: Method
        /// Where the request goes. Its path and query can contain credentials.
        public var url: UploadURL
        /// In the order sent. The transport adds Host, User-Agent and Content-Length.
        public var headers: [HTTPHeader]
        /// Read while the request is sent, and again after a redirect.
        package var body: any BodySource
        package var timeLimits: TimeLimits
        /// Texts that the transport hides if the server repeats them.
        package var secrets: Secrets
        /// Receives the body of a success instead of `UploadResponse.body`.
        package var answerSink: (any AnswerSink)?
        package var redirects = Redirects.onSameServer
        /// The destination's settings of TLS. The transport's options override them.
        package var caFile: String?
        package var clientCertificate: ClientCertificate?

        /// A request made by the program's own destination.
        ///
        /// - Parameters:
        ///   - method: POST or PUT.
        ///   - url: where the request goes; its credentials are hidden wherever the server repeats
        ///     them.
        ///   - headers: in the order sent.
        ///   - body: read while the request is sent, and again after a redirect.
        public init(
            _ method: Method = .post, to url: UploadURL, headers: [HTTPHeader] = [],
            body: any BodySource
        ) {
            self.init(method, to: url, headers: headers, body: body, timeLimits: TimeLimits())
        }

        /// - Parameters:
        ///   - body: read while the request is sent, and again after a redirect.
        ///   - secrets: hidden wherever the server repeats them; by default those of the URL.
        package init(
            _ method: Method = .post, to url: UploadURL, headers: [HTTPHeader] = [],
            body: any BodySource, timeLimits: TimeLimits, secrets: Secrets? = nil
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.timeLimits = timeLimits
            self.secrets = secrets ?? Secrets(url.secrets)
        }

        /// A request without a body.
        package init(
            _ method: Method, from url: UploadURL, headers: [HTTPHeader] = [],
            into sink: (any AnswerSink)? = nil, timeLimits: TimeLimits = TimeLimits()
        ) {
            self.init(
                method, to: url, headers: headers, body: StreamedBody([]), timeLimits: timeLimits)
            answerSink = sink
        }
    }
}

extension UploadRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// For people: `POST to https://crash.example.org, 5120 bytes, gzip`, without secrets.
    public var description: String {
        let encoding = headers.contains(.gzipEncoded) ? ", gzip" : ""
        return "\(method.rawValue) to \(url.server), \(body.contentLength) bytes\(encoding)"
    }

    public var debugDescription: String { description }
}

extension Epitaph {
    /// How long a request may take.
    public struct TimeLimits: Sendable, Equatable {
        /// Name lookup, connection and TLS handshake together.
        public var connect = Duration.seconds(20)
        /// How long the transfer may be slower than `slowestBytesPerSecond` in either direction,
        /// because a server stalls or computes.
        public var stall = Duration.seconds(60)
        /// A transfer that is slower than this for `stall` is aborted.
        public var slowestBytesPerSecond: Int = 16
        /// Everything, redirects included. Long, for large reports on slow connections.
        public var total = Duration.seconds(900)

        /// The limits for uploads unless others are chosen.
        public init() {}
    }

    /// A server's answer.
    public struct UploadResponse: Sendable, Equatable {
        /// The HTTP status, RFC 9110 15.
        public var status: Int
        package var headers: AnswerHeaders
        /// The first bytes of the answer's body; empty if a sink took it.
        public var body: [UInt8]
        /// True if the server sent more than the transport keeps.
        public var isBodyCut: Bool

        package init(
            status: Int, headers: AnswerHeaders = AnswerHeaders(), body: [UInt8] = [],
            isBodyCut: Bool = false
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isBodyCut = isBodyCut
        }

        package init(status: Int, body: [UInt8] = [], retryAfter: String?) {
            self.init(
                status: status,
                headers: AnswerHeaders(retryAfter.map { [("Retry-After", $0)] } ?? []),
                body: body)
        }

        /// The Retry-After header, unparsed.
        public var retryAfter: String? { headers.values(of: "Retry-After").last }

        /// RFC 9110 15.3: accepted. Collectors answer 200, 201, 202 and 204.
        public var isSuccess: Bool { (200..<300).contains(status) }

        /// The body as text without surrounding white space; invalid UTF-8 becomes U+FFFD.
        public var text: String {
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
            let trimmed = body.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
            return String(decoding: trimmed, as: UTF8.self)
        }

        /// The body on one line and short enough for a sentence.
        public var words: String { text.oneLine() }

        /// `answered 400 and said: …`
        package var sentence: String {
            "answered \(status)" + (words.isEmpty ? "" : " and said: \(words)")
        }
    }
}

extension String {
    package func oneLine(limit: Int = 300) -> String {
        let start = String(unicodeScalars.prefix(limit)).printable { _ in " " }
        return unicodeScalars.count > limit ? start + "…" : start
    }
}
