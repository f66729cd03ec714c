// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct EventStoreTests {
    private func pruned(_ lab: EventLab) throws -> DropCounts {
        let store = try lab.store()
        var batches = try store.batches()
        return try store.prune(&batches, by: lab.options.retention)
    }

    @Test("Batches keep their order over launches, whatever the clock does")
    func order() throws {
        let lab = try EventLab()
        try lab.write("a", "b")
        lab.clock.advance(bySeconds: -86_400 * 400)
        try lab.write("c", "d")
        lab.clock.advance(bySeconds: 86_400 * 4_000)
        try lab.write("e")
        lab.clock.set(Timestamp(secondsSince1970: -5))
        try lab.write("f")
        #expect(lab.names == ["a", "b", "c", "d", "e", "f"])
    }

    @Test("A file whose name gives more events than a batch can have is none of ours")
    func hugeCount() {
        let id = Epitaph.ID().description
        let order = String(repeating: "0", count: 19) + "1"
        #expect(EventBatch(name: "\(order)-1-1000-\(id).ndjson")?.count == 1_000)
        #expect(EventBatch(name: "\(order)-1-\(Int.max)-\(id).ndjson") == nil)
    }

    @Test("Files can be read by their owner alone")
    func permissions() throws {
        let lab = try EventLab()
        try lab.write("a")
        for (name, expected) in [("events", 0o700), ("events/" + lab.files[0], 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: lab.directory.path(name))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == expected)
        }
    }

    @Test("Batches older than seven days go, and are counted")
    func age() throws {
        let lab = try EventLab()
        try lab.write("a")
        lab.clock.advance(bySeconds: 3 * 86_400)
        try lab.write("b")
        #expect(try pruned(lab).total == 0)
        lab.clock.advance(bySeconds: 4 * 86_400 + 1)
        let dropped = try pruned(lab)
        #expect(dropped[.tooOld] == 1)
        #expect(lab.names == ["b"])
    }

    @Test("A clock that is wrong for a while costs nothing")
    func wrongClock() throws {
        let lab = try EventLab()
        try lab.write("a")
        #expect(try pruned(lab).total == 0)
        let right = lab.clock.now()
        lab.clock.set(right + 5 * 366 * 86_400)
        #expect(try pruned(lab).total == 0)
        lab.clock.set(right + 60)
        #expect(try pruned(lab).total == 0)
        lab.clock.set(Timestamp(secondsSince1970: 100))
        #expect(try pruned(lab).total == 0)
        #expect(lab.names == ["a"])
    }

    @Test("Without a record of earlier passes the newest batch shows how far the clock was")
    func witness() throws {
        let lab = try EventLab()
        try lab.write("a")
        lab.clock.advance(bySeconds: 5 * 366 * 86_400)
        #expect(try pruned(lab).total == 0)
        #expect(lab.names == ["a"])
    }

    @Test("What is no batch is left alone, and what a writer left behind goes after an hour")
    func foreign() throws {
        let lab = try EventLab()
        try lab.write("a")
        lab.options.diskLimitBytes = 1 << 16
        let batch = lab.files[0]
        let leftover = ".new-" + Epitaph.ID().description
        let foreign = [
            "notes.txt", "x" + batch, batch + ".gz", ".new-mine",
            "00000000000000000001-5-0-\(Epitaph.ID().description).ndjson",
            "1-5-1-\(Epitaph.ID().description).ndjson",
        ]
        for name in foreign + [leftover] {
            try lab.directory.write([0x7b], to: "events/" + name)
            try FileManager.default.setAttributes(
                [.modificationDate: (lab.clock.now()).date],
                ofItemAtPath: lab.directory.path("events/" + name))
        }
        try FileManager.default.createDirectory(
            atPath: lab.directory.path(
                "events/00000000000000000002-5-1-\(Epitaph.ID().description).ndjson"),
            withIntermediateDirectories: false)
        #expect(try pruned(lab).total == 0)
        #expect(lab.files.contains(leftover))
        lab.clock.advance(bySeconds: 3_601)
        #expect(try pruned(lab).total == 0)
        #expect(lab.files.count == foreign.count + 2)
        #expect(!lab.files.contains(leftover))
    }

    @Test(
        "Retention takes what is too old, and of the rest the oldest until it fits",
        arguments: [
            (nil, 1_000, [DropReason]()),
            (nil, 250, [.overLimit]),
            (nil, 0, [.overLimit, .overLimit, .overLimit]),
            (Int64(150), 1_000, []),
            (Int64(1_101), 1_000, [.tooOld]),
            (Int64(1_101), 150, [.tooOld, .overLimit]),
            (Int64(9_999), 1_000, [.tooOld, .tooOld, .tooOld]),
            (Int64(-9_999), 1_000, []),
        ] as [(Int64?, Int, [DropReason])])
    func retention(now: Int64?, limit: Int, expected: [DropReason]) {
        let batches = (1...3).map { number in
            StoredBatch(
                batch: EventBatch(
                    order: UInt64(number), seconds: Int64(number) * 100, count: 1, id: Epitaph.ID()),
                sizeBytes: 100, diskBytes: 100)
        }
        let excess = EventRetention(ageLimitSeconds: 1_000, diskLimitBytes: limit)
            .excess(of: batches, now: now)
        #expect(excess.map(\.reason) == expected)
        #expect(excess.map(\.batch) == batches.prefix(expected.count).map(\.batch))
    }
}
