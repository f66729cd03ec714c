// SPDX-License-Identifier: Apache-2.0

/// What is the same for all requests of a transport.
public struct TransportOptions: Sendable {
    /// A PEM file with the authorities that are trusted instead of the system's.
    public var caFile: String?
    public var proxy: Proxy = .environment
    /// How much of an answer's body is kept, in bytes; what follows is not even received.
    public var keptResponseBytes = 65_536
    public var redirectLimit = 3

    public enum Proxy: Sendable {
        /// http_proxy, https_proxy, all_proxy and no_proxy, as for curl(1).
        case environment
        case none
    }

    public init() {}
}
