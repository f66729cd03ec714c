// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphSystem

@Suite("A way out of the machine")
struct RouteTableTests {
    private static let head =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    @Test(
        "A route over IPv4 leads out when it is up, refuses nothing and is not the loopback's",
        arguments: [
            ("eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0", true),
            ("eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0", true),
            ("lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0", false),
            ("*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0", false),
            ("eth0\t00000000\t010011AC\t0002\t0\t0\t0\t00000000\t0\t0\t0", false),
            ("Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask", false),
            ("eth0\t00000000", false), ("", false), ("eth0 0 0 zz 0 0 0 0", false),
        ])
    func four(line: String, leadsOut: Bool) {
        #expect(RouteTable.leadsOut(line[...]) == leadsOut)
    }

    @Test(
        "Over IPv6 link-local, multicast, own and refused addresses lead nowhere",
        arguments: [
            ("00000000000000000000000000000000 00", "00450003", "eth0", true),
            ("fd000000000000000000000000000000 40", "00000001", "eth0", true),
            ("fe800000000000000000000000000000 40", "00000001", "eth0", false),
            ("febf0000000000000000000000000000 40", "00000001", "eth0", false),
            ("ff000000000000000000000000000000 08", "00000001", "eth0", false),
            ("00000000000000000000000000000001 80", "80200001", "lo", false),
            ("fd000000000000000000000000000002 80", "80200001", "eth0", false),
            ("fd000000000000000000000000000000 80", "00100001", "eth0", false),
            ("00000000000000000000000000000000 00", "00200200", "lo", false),
            ("zzzz0000000000000000000000000000 00", "00000001", "eth0", false),
        ])
    func six(place: String, flags: String, device: String, leadsOut: Bool) {
        let nothing = String(repeating: "0", count: 32)
        let line = "\(place) \(nothing) 00 \(nothing) 00000400 00000001 00000000 \(flags) \(device)"
        #expect(RouteTable.leadsOutOverIPv6(line[...]) == leadsOut)
    }

    @Test("Tables without a way out say so, and tables that are hidden say nothing")
    func tables() throws {
        let directory = try TemporaryDirectory()
        #expect(RouteTable(directory: directory.path).hasWayOut() == nil)
        try directory.write(Array(Self.head.utf8), to: "route")
        #expect(RouteTable(directory: directory.path).hasWayOut() == false)
        try directory.write(
            Array((Self.head + "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t0\t0\t0\t0\n").utf8),
            to: "route")
        #expect(RouteTable(directory: directory.path).hasWayOut() == true)
    }

    @Test("The way out is the default route with the smallest metric")
    func waysOut() throws {
        let directory = try TemporaryDirectory()
        let table = RouteTable(directory: directory.path)
        #expect(table.waysOut() == [])
        func route(_ device: String, _ place: String, _ metric: Int, _ mask: String) -> String {
            "\(device)\t\(place)\t010011AC\t0003\t0\t0\t\(metric)\t\(mask)\t0\t0\t0\n"
        }
        let routes = [
            route("wwan0", "00000000", 700, "00000000"), route("eth0", "000011AC", 0, "0000FFFF"),
            route("eth0", "00000000", 100, "00000000"),
        ]
        try directory.write(Array((Self.head + routes.joined()).utf8), to: "route")
        let nothing = String(repeating: "0", count: 32)
        let six = "\(nothing) 00 \(nothing) 00 fe80 00000400 00000001 00000000 00000003 ppp0\n"
        try directory.write(Array(six.utf8), to: "ipv6_route")
        #expect(table.waysOut() == ["eth0", "ppp0"])
    }

    @Test("The kernel's own tables are read as other code reads them")
    func kernel() throws {
        // Whatever network the tests have: python reads the same files with other code.
        let script = """
            def four(f): return f[0] != 'lo' and int(f[3], 16) & 1 and not int(f[3], 16) & 0x200
            def six(f):
                flags = int(f[8], 16)
                local = f[0][:2] == 'ff' or f[0][:3] in ('fe8', 'fe9', 'fea', 'feb')
                bad = flags & 0x80100200 or local
                return f[9] != 'lo' and flags & 1 and not bad
            found = False
            try: found |= any(four(l.split()) for l in open('/proc/net/route').readlines()[1:])
            except OSError: pass
            try: found |= any(six(l.split()) for l in open('/proc/net/ipv6_route'))
            except OSError: pass
            print(bool(found))
            """
        let run = try Subprocess.run(["python3", "-c", script])
        #expect(run.ending == .exited(0))
        let ours = RouteTable().hasWayOut() ?? false
        #expect(run.standardOutput == (ours ? "True\n" : "False\n"))
    }
}
