// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// An http or https URL to which reports can be sent. It may contain a password, a token in its
    /// path or a key in its query, so printing it shows only `server`.
    public struct UploadURL: Sendable, Equatable {
        /// The whole URL without its fragment, only for the transport.
        public let text: String
        /// Scheme, host and port in lower case, for example `https://crash.example.org:8443`; the
        /// port only if it is not the scheme's default.
        public let server: String
        /// In lower case; an IPv6 address in its brackets.
        public let host: String
        /// The scheme's default if the URL has none.
        public let port: UInt16

        /// - Throws: `.invalidURL` with a reason that names the wrong part without repeating it.
        public init(_ text: String) throws(TransportError) {
            guard
                text.utf8.allSatisfy({
                    (0x21...0x7e).contains($0) && !#""<>\^`{|}"#.utf8.contains($0)
                })
            else {
                throw .invalidURL(
                    reason: "it has spaces or characters that must be percent-encoded in a URL")
            }
            let whole = text.prefix { $0 != "#" }
            guard let mark = whole.firstIndex(of: ":"), whole[mark...].hasPrefix("://") else {
                throw .invalidURL(reason: "it does not begin with http:// or https://")
            }
            let scheme = whole[..<mark].lowercased()
            guard let ownPort: UInt16 = ["http": 80, "https": 443][scheme] else {
                throw .invalidURL(reason: "only http and https are supported")
            }
            let authority = whole[mark...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
            let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
            guard let place = parts.last, parts.count <= 2 else {
                throw .invalidURL(reason: "an @ in its user or password must be written %40")
            }
            let (host, port) = try Self.hostAndPort(place, ownPort: ownPort)
            self.text = String(whole)
            self.host = host
            self.port = port
            server = "\(scheme)://\(host)" + (port == ownPort ? "" : ":\(port)")
        }

        private init(text: String, at place: UploadURL) {
            self.text = text
            server = place.server
            host = place.host
            port = place.port
        }

        /// The URL with more parameters at the end of its query, in the order given.
        public func adding(_ parameters: [(name: String, value: String)]) -> UploadURL {
            var longer = text
            for (name, value) in parameters {
                if !longer.hasSuffix("?"), !longer.hasSuffix("&") {
                    longer += longer.contains("?") ? "&" : "?"
                }
                longer += percentEncodedForQuery(name) + "=" + percentEncodedForQuery(value)
            }
            return UploadURL(text: longer, at: self)
        }

        /// The URL of something else on the same server, with this URL's user.
        ///
        /// - Parameter target: a URL on this server; its own user and password are dropped.
        /// - Returns: nil if the target is on another server.
        public func redirected(to target: UploadURL) -> UploadURL? {
            guard target.server == server else { return nil }
            let start = text[..<(text.firstPlace(of: "://")?.upperBound ?? text.startIndex)]
            let user = authority.lastIndex(of: "@").map { authority[...$0] } ?? ""
            let place = target.authority.split(separator: "@").last ?? ""
            let parts = [start, user, place, target.pathAndQuery]
            return UploadURL(text: parts.map(String.init).joined(), at: self)
        }

        private static func hostAndPort(
            _ place: Substring, ownPort: UInt16
        ) throws(TransportError) -> (String, UInt16) {
            let end: Substring.Index
            if place.hasPrefix("[") {
                guard let bracket = place.firstIndex(of: "]") else {
                    throw .invalidURL(reason: "the ] of its IPv6 address is missing")
                }
                end = place.index(after: bracket)
            } else {
                end = place.firstIndex(of: ":") ?? place.endIndex
            }
            let host = place[..<end].lowercased()
            let isName = host.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
            let isAddress =
                host.hasPrefix("[")
                && host.dropFirst().dropLast().utf8.allSatisfy {
                    "0123456789abcdef:.".utf8.contains($0)
                }
            guard host.utf8.count > (isAddress ? 2 : 0), isName || isAddress else {
                throw .invalidURL(
                    reason: "its host is missing or has characters that no host name has;"
                        + " international names are written in their xn-- form")
            }
            let rest = place[end...]
            guard !rest.isEmpty, rest != ":" else { return (host, ownPort) }
            guard rest.hasPrefix(":"),
                rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = UInt16(rest.dropFirst()), port > 0
            else { throw .invalidURL(reason: "its port is not a number from 1 to 65535") }
            return (host, port)
        }
    }
}

extension UploadURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { server }
    public var debugDescription: String { server }
    public var customMirror: Mirror { Mirror(self, children: ["server": server]) }
}
