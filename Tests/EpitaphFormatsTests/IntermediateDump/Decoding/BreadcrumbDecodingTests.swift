// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("Breadcrumbs of a dump")
struct BreadcrumbDecodingTests {
    private func snapshot(
        _ fill: (inout DumpBuilder) -> Void...
    ) throws -> ProcessSnapshot {
        try SampleDumps.snapshot { dump in
            dump.array(.breadcrumbs) { array in
                for fill in fill { array.map { fill(&$0) } }
            }
        }
    }

    @Test("They are read with all they hold, in the order of their numbers")
    func whole() throws {
        let snapshot = try IntermediateDump.snapshot(from: ByteSlice(SampleDumps.x86_64))
        var late = Breadcrumb(
            number: 8, timeNanoseconds: 1_763_703_599_750_000_000,
            uptimeNanoseconds: 3_599_250_000_000, level: .warning, category: "http",
            message: "GET /orders took 3 s")
        late.isCut = true
        let early = Breadcrumb(
            number: 7, timeNanoseconds: 1_763_703_590_000_000_000, message: "opened the ledger")
        #expect(snapshot.breadcrumbs == [early, late])
    }

    @Test("A dump from before there were any has none, and nothing is amiss")
    func none() throws {
        let snapshot = try SampleDumps.snapshot { $0.array(.threads) { _ in } }
        #expect(snapshot.breadcrumbs.isEmpty && snapshot.damage.isEmpty)
    }

    @Test("One without a time or a message is left out, and said to be")
    func incomplete() throws {
        let snapshot = try snapshot(
            { $0.add(.breadcrumbTime, 5) }, { $0.add(.breadcrumbMessage, "x") },
            {
                $0.add(.breadcrumbTime, 6)
                $0.add(.breadcrumbMessage, "y")
            })
        #expect(snapshot.breadcrumbs.map(\.message) == ["y"])
        #expect(snapshot.damage.count == 2)
        #expect(
            snapshot.damage.allSatisfy {
                $0.reason == "a breadcrumb has no time or no message and was left out"
            })
    }

    @Test("A level that is not known is information, and the text is shown whatever it holds")
    func strange() throws {
        let snapshot = try snapshot {
            $0.add(.breadcrumbNumber, UInt64.max)
            $0.add(.breadcrumbTime, UInt64.max)
            $0.add(.breadcrumbUptime, UInt64.max)
            $0.add(.breadcrumbLevel, 0)
            $0.add(.breadcrumbMessage, bytes: [0xff, 0x00, 0x41])
        }
        #expect(
            snapshot.breadcrumbs == [
                Breadcrumb(
                    number: .max, timeNanoseconds: .max, uptimeNanoseconds: .max, level: .info,
                    message: "\u{fffd}\u{0}A")
            ])
        #expect(
            snapshot.damage.map(\.reason) == [
                "BREADCRUMB_LEVEL 0 is not known; taken as information"
            ])
    }

    @Test("A message that the dump ends in is kept and marked")
    func cut() throws {
        var dump = SampleDumps.launch()
        dump.array(.breadcrumbs) {
            $0.map {
                $0.add(.breadcrumbTime, 5)
                $0.add(.breadcrumbMessage, "a long way")
            }
        }
        // The array's end, the map's, and the last word.
        let snapshot = try IntermediateDump.snapshot(from: ByteSlice(dump.bytes.dropLast(2 + 4)))
        #expect(snapshot.breadcrumbs.map(\.message) == ["a long"])
        #expect(snapshot.breadcrumbs.first?.isCut == true)
    }
}
