// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite("Ready gates") struct GateTests {
    @Test("One of hours is open from the first to before the last, also over midnight")
    func hours() {
        func openHours(from start: Int, to end: Int) -> [Int] {
            (0..<24).filter { hour in
                var local = tm()
                (local.tm_year, local.tm_mon, local.tm_mday) = (126, 5, 1)
                (local.tm_hour, local.tm_min, local.tm_isdst) = (Int32(hour), 59, -1)
                return Epitaph.Gates.hours(from: start, to: end, at: mktime(&local)) == .open
            }
        }
        #expect(openHours(from: 1, to: 5) == [1, 2, 3, 4])
        #expect(openHours(from: 22, to: 2) == [0, 1, 22, 23])
        #expect(openHours(from: 3, to: 3).count == 24)
    }

    @Test("One of metered links is closed while the way out is one of those that are named")
    func metered() throws {
        let directory = try TemporaryDirectory()
        let table = RouteTable(directory: directory.path)
        #expect(Epitaph.Gates.metered(["*"], by: table) == .open)
        try directory.write(
            Array("head\nwwan0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n".utf8),
            to: "route")
        #expect(Epitaph.Gates.metered(["eth*"], by: table) == .open)
        #expect(
            Epitaph.Gates.metered(["ppp*", "wwan?"], by: table)
                == .closed(reason: "wwan0 is a metered link"))
        let gate: Epitaph.UploadGate = Epitaph.Gates.metered("no such link")
        #expect(gate(Epitaph.PendingReport(uuid: Epitaph.ID(), minidumpPath: "/")) == .open)
    }

    @Test("One of the load is open below the limit, and says why it is closed from it on")
    func load() {
        let report = Epitaph.PendingReport(uuid: Epitaph.ID(), minidumpPath: "/nowhere")
        #expect(Epitaph.Gates.load(below: 1e9)(report) == .open)
        #expect(
            Epitaph.Gates.load(below: 0)(report) == .closed(reason: "the machine is busy"))
    }
}
