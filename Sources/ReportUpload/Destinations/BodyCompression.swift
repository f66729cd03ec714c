// SPDX-License-Identifier: Apache-2.0

/// How a body goes over the wire.
public enum BodyCompression: Sendable {
    /// With `Content-Encoding: gzip`, RFC 9110 8.4.1.3.
    case gzip
    case none

    /// The body, with the header that says what was done to it, if anything was. Reads the body
    /// through when it is compressed.
    func applied(
        to plain: any BodySource
    ) throws(TransportError) -> (body: any BodySource, headers: [HTTPHeader]) {
        switch self {
        case .gzip: (try GzipBody(compressing: plain), [.gzipEncoded])
        case .none: (plain, [])
        }
    }
}
