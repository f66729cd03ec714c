// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Knows without sending anything when trying a server is useless.
package protocol NetworkWatch: Sendable {
    /// False only if it is certain that no packet can reach `server` (scheme, host and port) now.
    func mayReach(_ server: String) -> Bool
}

/// The kernel's route tables: no route, no network. Why not netlink(7): docs/decisions/delivery.md
package struct RouteTableWatch: NetworkWatch {
    private let table: RouteTable
    private let usesProxy: Bool

    /// - Parameter usesProxy: a proxy may be reachable without a route, so nothing is certain.
    package init(_ table: RouteTable = RouteTable(), usesProxy: Bool = false) {
        self.table = table
        self.usesProxy = usesProxy
    }

    /// Whether libcurl may find a proxy in the environment: curl(1).
    package static var hasProxyInEnvironment: Bool {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
            CurrentProcess.environmentVariable($0) != nil
        }
    }

    package func mayReach(_ server: String) -> Bool {
        usesProxy || Self.isLoopback(server) || table.hasWayOut() != false
    }

    /// Names by RFC 6761 6.3, addresses by RFC 5735 3 and RFC 4291 2.5.3.
    static func isLoopback(_ server: String) -> Bool {
        let place = server.lastPathComponent
        if place.hasPrefix("[") { return place.hasPrefix("[::1]") }
        let host = place.prefix { $0 != ":" }.lowercased()
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host.hasSuffix(".localhost")
            || isAddress && numbers[0] == "127"
    }
}
