// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A proxy that requests go through. Its user and password are left out of its description.
    public struct ProxyServer: Sendable, Equatable {
        /// How to talk to the proxy.
        public enum Scheme: String, Sendable, CaseIterable {
            /// Plain HTTP, with CONNECT for https servers, RFC 9110 9.3.6.
            case http
            /// TLS to the proxy as well; the proxy's certificate is checked like a server's.
            case https
            /// SOCKS version 5, RFC 1928; server names are looked up here.
            case socks5
            /// The same, with server names looked up by the proxy.
            case socks5h
        }

        /// Scheme, host and port, for example `socks5://proxy.example.org:1080`.
        public let address: String
        /// The user and password for the proxy, percent-decoded; nil if the URL has no user.
        let credentials: Credentials?

        struct Credentials: Equatable {
            let user: String
            let password: String
        }

        /// - Parameter text: `scheme://[user:password@]host:port`; characters that have a meaning
        ///   in URLs are percent-encoded in user and password.
        /// - Throws: `.invalidURL` with a reason that does not contain the text.
        public init(_ text: String) throws(TransportError) {
            guard let mark = text.firstPlace(of: "://"),
                let scheme = Scheme(rawValue: text[..<mark.lowerBound].lowercased())
            else {
                throw .invalidURL(
                    reason: "a proxy is written http://host:port, https://, socks5:// or socks5h://"
                )
            }
            let rest = text[mark.upperBound...]
            let url: UploadURL
            let other: UploadURL
            do throws(TransportError) {
                // The rules for user, host and port are the same as in any URL.
                url = try UploadURL("http://" + rest)
                other = try UploadURL("https://" + rest)
            } catch {
                guard case .invalidURL(let reason) = error else { throw error }
                throw .invalidURL(reason: "of its proxy: \(reason)")
            }
            guard ["", "/"].contains(url.pathAndQuery) else {
                throw .invalidURL(reason: "a proxy has no path: write scheme://host:port")
            }
            // The port was implied. libcurl would take 1080, which nobody expects of HTTP.
            guard url.port == other.port else {
                throw .invalidURL(
                    reason: "the port of its proxy is missing: write scheme://host:port")
            }
            address = "\(scheme.rawValue)://\(url.host):\(url.port)"
            credentials = url.userInformation.map {
                Credentials(user: $0.user, password: $0.password)
            }
        }
    }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { address }
    public var debugDescription: String { address }
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
