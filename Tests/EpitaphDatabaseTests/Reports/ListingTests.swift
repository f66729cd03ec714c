// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite struct ListingTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    @Test("Reports are listed oldest first, by state")
    func order() throws {
        var expected: [Epitaph.ID] = []
        for _ in 0..<5 {
            expected.append(try fixture.file().uuid)
            fixture.clock.advance(bySeconds: 1)
        }
        try database.skipUpload(of: expected[2])
        #expect(try database.reports(.completed).reports.map(\.uuid) == [expected[2]])
        expected.remove(at: 2)
        #expect(try fixture.reopened().reports(.pending).reports.map(\.uuid) == expected)
    }

    @Test("A report is found by any beginning of its id that no other has")
    func prefix() throws {
        let first = try #require(Epitaph.ID("AB000000-0000-4000-8000-000000000001"))
        let second = try #require(Epitaph.ID("AB100000-0000-4000-8000-000000000002"))
        try fixture.file([1], first)
        try fixture.file([2], second)
        try database.skipUpload(of: second)
        #expect(try database.report(matching: "ab0").uuid == first)
        #expect(try database.report(matching: "AB1").uuid == second)
        #expect(try database.report(matching: first.description.uppercased()).uuid == first)
        #expect(throws: DatabaseError.ambiguous(prefix: "ab", matches: [first, second])) {
            try database.report(matching: "ab")
        }
        for none in ["", "ac", Epitaph.ID().description.uppercased(), "../pending"] {
            #expect(throws: DatabaseError.self) { try database.report(matching: none) }
        }
    }

    @Test("A report's bytes are the ones that were written")
    func contents() throws {
        let report = try fixture.file([5, 4, 3])
        #expect(try database.contents(of: report).array == [5, 4, 3])
    }

    @Test("Pieces without their other half, directories and strange names are each one problem")
    func brokenPieces() throws {
        let (a, b, c) = (Epitaph.ID(), Epitaph.ID(), Epitaph.ID())
        let stems = [a, b, c].map { $0.description }
        try fixture.write([1], "pending/\(stems[0]).dmp")
        try fixture.write([UInt8](repeating: 0, count: 32), "pending/\(stems[1]).meta")
        try Directory.make(fixture.path("pending/\(stems[2]).dmp"))
        try fixture.write([1], "pending/hello.dmp")
        try fixture.write([1], "pending/README")
        symlink("/etc/passwd", fixture.path("pending/\(stems[0]).meta"))
        let list = try database.reports(.pending)
        // The one whose metadata is a link is a report all the same.
        #expect(list.reports.map(\.uuid) == [a])
        let expected = ["\(stems[0]).dmp", "\(stems[1]).meta", "\(stems[2]).dmp", "hello.dmp"]
        #expect(
            list.problems.map(\.path) == expected.map { fixture.path("pending/" + $0) }.sorted())
        for problem in list.problems {
            #expect(problem.sentence.hasPrefix(String(problem.path.prefix(while: { $0 != "." }))))
        }
    }

    @Test("An id that a changing directory names twice is one id")
    func twice() {
        let ids = (0..<9).map { _ in Epitaph.ID() }
        let sorted = SortedIDs(ids + ids.reversed())
        #expect(sorted.ids == ids.sorted())
        #expect(ids.allSatisfy(sorted.contains))
        #expect(!sorted.contains(Epitaph.ID()))
        #expect(SortedIDs([]).ids.isEmpty)
    }

    @Test("Hundreds of reports are listed")
    func many() throws {
        let meta: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        for _ in 0..<500 {
            let path = fixture.path("pending/\(Epitaph.ID().description)")
            for (bytes, name) in [([1], ".dmp"), (meta, ".meta")] {
                let file = try FileDescriptor.create(path + name)
                try file.writeAll(bytes, at: 0)
            }
        }
        let list = try database.reports(.pending)
        #expect(list.reports.count == 500)
        #expect(list.problems.isEmpty)
    }
}
