// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Options that apply to all requests of a transport.
    public struct TransportOptions: Sendable {
        /// A PEM file with trusted authorities instead of the system's, also for an https proxy.
        public var caFile: String?
        /// The certificate to present to servers that ask for one.
        public var clientCertificate: ClientCertificate?
        /// Which proxy requests go through.
        public var proxy: Proxy = .environment
        /// Bytes of an answer's body that are kept; the rest is not even received.
        public var keptResponseBytes = 65_536
        /// The largest head and trailer of an answer together, in bytes, all interim answers
        /// included; a larger one is an error.
        public var headerLimitBytes = 131_072
        /// How many redirects of one request are followed.
        public var redirectLimit = 3
        /// Called at least once a second during a transfer; true ends it as `.interrupted`.
        public var shouldStop: (@Sendable () -> Bool)?

        /// Which proxy requests go through.
        public enum Proxy: Sendable, Equatable {
            /// http_proxy, https_proxy, all_proxy and no_proxy, as for curl(1).
            case environment
            /// Straight to the server, whatever the environment says.
            case none
            /// This one for every request, whatever the environment says.
            case server(ProxyServer)
        }

        /// The system's authorities, no client certificate, and the proxy of the environment.
        public init() {}

        /// Whether a proxy may stand between this machine and the server, as libcurl sees it.
        public var mayUseProxy: Bool {
            switch proxy {
            case .environment: RouteTableWatch.hasProxyInEnvironment
            case .none: false
            case .server: true
            }
        }
    }

    /// In PEM files. The key must not have a passphrase: a daemon cannot ask for one.
    public struct ClientCertificate: Sendable, Equatable {
        /// The certificate, followed by intermediate ones if the server does not have them.
        public var certificateFile: String
        /// May be the same file.
        public var keyFile: String

        /// - Parameters:
        ///   - certificateFile: path of a PEM file.
        ///   - keyFile: path of a PEM file with a key that has no passphrase.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }
}
