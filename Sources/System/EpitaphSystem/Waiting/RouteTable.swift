// SPDX-License-Identifier: Apache-2.0

/// Reads the route tables of proc_net(5), which every user may read.
package struct RouteTable: Sendable {
    private let directory: String

    package init(directory: String = "/proc/net") {
        self.directory = directory
    }

    package func hasWayOut() -> Bool? {
        let four = lines("route").map { $0.contains(where: Self.leadsOut) }
        let six = lines("ipv6_route").map { $0.contains(where: Self.leadsOutOverIPv6) }
        guard four != nil || six != nil else { return nil }
        return four == true || six == true
    }

    package func waysOut() -> [String] {
        let four = (lines("route") ?? []).filter(Self.leadsOut).compactMap(Self.defaultRoute)
        let six = (lines("ipv6_route") ?? []).filter(Self.leadsOutOverIPv6)
            .compactMap(Self.defaultRouteOverIPv6)
        return [four, six].compactMap { routes in
            routes.min { $0.metric < $1.metric }?.interface
        }
    }

    private typealias Route = (metric: UInt32, interface: String)

    private static func defaultRoute(_ line: Substring) -> Route? {
        let fields = line.split { $0 == "\t" || $0 == " " }
        guard fields[1] == "00000000", fields[7] == "00000000" else { return nil }
        return UInt32(fields[6]).map { ($0, String(fields[0])) }
    }

    private static func defaultRouteOverIPv6(_ line: Substring) -> Route? {
        let fields = line.split(separator: " ")
        guard fields[1] == "00" else { return nil }
        return UInt32(fields[5], radix: 16).map { ($0, String(fields[9])) }
    }

    private func lines(_ name: String) -> [Substring]? {
        guard let file = try? FileDescriptor.openForReading("\(directory)/\(name)"),
            // A full Internet table is larger, but its first part is enough.
            let bytes = try? file.readAll(limit: 1 << 20)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    // Route flags, linux/route.h and linux/ipv6_route.h.
    private static let up: UInt32 = 0x1
    private static let reject: UInt32 = 0x200
    private static let anycast: UInt32 = 0x10_0000
    private static let local: UInt32 = 0x8000_0000

    /// /proc/net/route: Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT.
    static func leadsOut(_ line: Substring) -> Bool {
        let fields = line.split { $0 == "\t" || $0 == " " }
        guard fields.count >= 8, fields[0] != "lo", let flags = UInt32(fields[3], radix: 16) else {
            return false
        }
        return flags & up != 0 && flags & reject == 0
    }

    /// /proc/net/ipv6_route: destination, prefix length, source, prefix length, next hop, metric,
    /// two counts, flags, device. Link-local and multicast routes lead to no server.
    static func leadsOutOverIPv6(_ line: Substring) -> Bool {
        let fields = line.split(separator: " ")
        guard fields.count >= 10, fields[9] != "lo", let flags = UInt32(fields[8], radix: 16),
            let start = UInt16(fields[0].prefix(4), radix: 16)
        else { return false }
        let isLinkLocal = start & 0xffc0 == 0xfe80
        let isMulticast = start & 0xff00 == 0xff00
        return flags & up != 0 && flags & (reject | anycast | local) == 0 && !isLinkLocal
            && !isMulticast
    }
}
