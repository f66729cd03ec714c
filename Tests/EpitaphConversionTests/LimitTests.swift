// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LimitTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func options(own: String? = nil, _ limit: DumpSweep.Limit) -> DumpSweep.Options {
        var options = DumpSweep.Options()
        options.ownBundleID = own
        options.limit = limit
        return options
    }

    @Test("Of ten thousand dumps twenty are converted, the own bundle's first; the rest waits")
    func tenThousand() throws {
        // Names for one empty file: ten thousand links are made faster than ten thousand files.
        let empty = try fixture.temporary.write([], to: "empty")
        for _ in 0..<9_995 {
            let name = "other@\(Epitaph.ID().description)"
            try #require(link(empty, fixture.path(name)) == 0)
        }
        let own = Set((0..<5).map { _ in Epitaph.ID() })
        for id in own { try fixture.put(bundle: "own", id) }
        let summary = try fixture.sweep(options(own: "own", .conversions(20)))
        #expect(Set(summary.reportIDs) == own)
        #expect(summary.problems.count == 15)
        #expect(summary.waitingCount == 9_980)
        #expect(summary.entries.count == 10_000)
        #expect(try fixture.pendingNames.count == 9_980)
    }

    @Test("Files of a thousand processes that ended well are all gone after one pass")
    func manyEnded() throws {
        let bytes = Dumps.launchOnly()
        for _ in 0..<1_000 {
            let name = "own@\(Epitaph.ID().description).locked"
            try FileDescriptor.create(fixture.path(name)).writeAll(bytes, at: 0)
        }
        #expect(try fixture.sweep().endedWithoutCrashCount == 1_000)
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("The default is twenty, and unlimited takes all")
    func unlimited() throws {
        let ids = Set((0..<25).map { _ in Epitaph.ID() })
        for id in ids { try fixture.put(id) }
        #expect(try fixture.sweep().reportIDs.count == 20)
        #expect(try fixture.sweep(options(.unlimited)).reportIDs.count == 5)
        #expect(try fixture.reportIDs == ids)
    }

    @Test("The oldest dump goes first, and retries after all fresh ones")
    func order() throws {
        let ids = (0..<4).map { _ in Epitaph.ID() }
        for (index, id) in ids.enumerated() {
            // The last is the oldest, but was tried before.
            let name = try fixture.put(id, ending: index == 3 ? ".converting-1" : "")
            try FileManager.default.setAttributes(
                [
                    .modificationDate:
                        (Timestamp(
                            secondsSince1970: index == 3 ? 0 : 1e9 - Double(index))).date
                ],
                ofItemAtPath: fixture.path(name))
        }
        #expect(try fixture.sweep().reportIDs == [ids[2], ids[1], ids[0], ids[3]])
    }
}
