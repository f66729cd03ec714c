// SPDX-License-Identifier: Apache-2.0

import Bytes

/// One request as a value; only its body is a stream.
public struct UploadRequest {
    /// The HTTP methods used here, RFC 9110 9.3.
    public enum Method: String, Sendable {
        /// RFC 9110 9.3.3
        case post = "POST"
        /// RFC 9110 9.3.4
        case put = "PUT"
    }

    /// POST or PUT.
    public var method: Method
    /// Where the request goes. Its path and query can contain credentials.
    public var url: UploadURL
    /// In the order sent. The transport adds Host, User-Agent, Content-Length and nothing else that
    /// matters.
    public var headers: [HTTPHeader]
    /// Read while the request is sent, and again after a redirect.
    public var body: any BodySource
    /// When the request is given up.
    public var timeLimits: TimeLimits
    /// Texts that the transport hides if the server repeats them.
    public var secrets: Secrets

    /// - Parameters:
    ///   - method: POST or PUT.
    ///   - url: where the request goes.
    ///   - headers: in the order sent.
    ///   - body: read while the request is sent, and again after a redirect.
    ///   - timeLimits: when the request is given up.
    ///   - secrets: hidden wherever the server repeats them; those of the URL, unless given.
    public init(
        _ method: Method = .post, to url: UploadURL, headers: [HTTPHeader] = [],
        body: any BodySource, timeLimits: TimeLimits = TimeLimits(), secrets: Secrets? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeLimits = timeLimits
        self.secrets = secrets ?? Secrets(url.secrets)
    }
}

extension UploadRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// For people: `POST to https://crash.example.org, 5120 bytes, gzip`. No path, no query, no
    /// value of a header.
    public var description: String {
        let encoding = headers.contains(.gzipEncoded) ? ", gzip" : ""
        return "\(method.rawValue) to \(url.server), \(body.contentLength) bytes\(encoding)"
    }

    public var debugDescription: String { description }
}

/// How long a request may take.
public struct TimeLimits: Sendable, Equatable {
    /// Name lookup, connection and TLS handshake together.
    public var connectSeconds: Double = 20
    /// How long fewer bytes than `slowestBytesPerSecond` may be transferred in either direction,
    /// because a server stalls or computes.
    public var stallSeconds: Int = 60
    /// A transfer that is slower than this for `stallSeconds` is aborted.
    public var slowestBytesPerSecond: Int = 16
    /// Everything, redirects included. Long, because a large report on a slow connection is fine as
    /// long as it makes progress.
    public var totalSeconds: Double = 900

    /// The limits that uploads have unless others are chosen.
    public init() {}
}

/// What a server answered.
public struct UploadResponse: Sendable, Equatable {
    /// The HTTP status, RFC 9110 15.
    public var status: Int
    /// The first bytes of the answer's body.
    public var body: [UInt8]
    /// True if the server sent more than the transport keeps.
    public var isBodyCut: Bool
    /// The Retry-After header, unparsed.
    public var retryAfter: String?

    /// An answer with this status, without a body unless one is given.
    public init(
        status: Int, body: [UInt8] = [], isBodyCut: Bool = false, retryAfter: String? = nil
    ) {
        self.status = status
        self.body = body
        self.isBodyCut = isBodyCut
        self.retryAfter = retryAfter
    }

    /// RFC 9110 15.3: the request was received, understood and accepted. Collectors answer 200,
    /// 201, 202 and 204.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as text without surrounding white space; invalid UTF-8 becomes U+FFFD.
    public var text: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let trimmed = body.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// The body on one line and short enough for a sentence.
    public var words: String { text.oneLine() }
}

extension String {
    /// The text on one line and short enough for a sentence. Control characters, which could
    /// control the terminal that shows them, become spaces.
    func oneLine(limit: Int = 300) -> String {
        let start = String(unicodeScalars.prefix(limit)).printable { _ in " " }
        return unicodeScalars.count > limit ? start + "…" : start
    }
}
