// SPDX-License-Identifier: Apache-2.0

import EpitaphPages
import EpitaphValues
import Testing

@testable import EpitaphExplanation

/// Blocks of memory errors in the comparison of two reports.
@Suite struct ComparedBlockTests {
    private static func sections(
        _ left: HeapSample, _ right: HeapSample
    ) -> [String: [ReportComparison.Row]] {
        let comparison = ReportComparison(left.explanation, right.explanation)
        return Dictionary(
            comparison.sections.map { ($0.title, $0.rows) }, uniquingKeysWith: { $1 })
    }

    private static func words(_ rows: [ReportComparison.Row]?) -> [String] {
        (rows ?? []).map { row in
            [row.label, row.left, row.right].map { $0 ?? "" }.joined(separator: " | ")
        }
    }

    @Test("Size and moments of the blocks stand side by side, and the stacks of both calls")
    func block() {
        let one = HeapReportTests.useAfterFree()
        var other = HeapSample()
        other.add(HeapSample.block(48, .freed))
        other.add("allocated", by: "fill")
        other.add("freed", by: "drop_all", line: 90)
        other.fail(at: HeapSample.slot.upperBound - 40)
        let sections = Self.sections(one, other)
        #expect(
            Self.words(sections["Block"]) == [
                "Size | 64 bytes | 48 bytes",
                "Freed | thread 4713 \"sweeper\", 41 ms before | "
                    + "thread 4713 \"sweeper\", 41 ms before",
                "Freed for | request = 42, tenant = acme | ",
                "Allocated | thread 4712 \"worker\", 3.2 s before | "
                    + "thread 4712 \"worker\", 3.2 s before",
            ])
        #expect(
            Self.words(sections["Stack that freed the block"]) == [
                " | release at cache.c:31 | ", " |  | drop_all at cache.c:90",
            ])
        #expect(
            Self.words(sections["Stack that allocated the block"]) == [
                " | fill at cache.c:12 | fill at cache.c:12"
            ])
    }

    @Test("What only one of them has is there once, and a report without has no section")
    func one() {
        var other = HeapSample()
        other.fail(at: 0x10)
        let sections = Self.sections(HeapReportTests.useAfterFree(), other)
        #expect(sections["Block"]?.allSatisfy { $0.change == .onlyLeft } == true)
        #expect(Self.sections(other, other).keys.contains { $0.contains("lock") } == false)
    }

    @Test("Of an address between two blocks both are compared")
    func between() {
        var sample = HeapSample()
        sample.add(HeapSample.block(1024, .live))
        sample.add(HeapSample.block(1000, .live, in: HeapSample.slotAbove, atStart: true))
        sample.fail(at: HeapSample.slot.upperBound + 2048)
        let sections = Self.sections(sample, sample)
        #expect(Self.words(sections["Block"]) == ["Size | 1,024 bytes | 1,024 bytes"])
        #expect(Self.words(sections["Second block"]) == ["Size | 1,000 bytes | 1,000 bytes"])
    }
}
