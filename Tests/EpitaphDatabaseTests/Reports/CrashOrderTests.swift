// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The order of crashes")
struct CrashOrderTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    /// A minute before the fixture's clock.
    private let minuteBefore = Timestamp(secondsSince1970: 1_699_999_940)

    init() throws {
        fixture = try Fixture()
    }

    private func minidump(of time: Timestamp?) -> [UInt8] {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.snapshotTime = time
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        return bytes.bytes
    }

    private func crash(at microseconds: Int) -> Timestamp {
        Timestamp(secondsSince1970: 1_699_999_940 + Double(microseconds) / 1_000_000)
    }

    @Test("Reports of one second are listed by the microsecond of their crash, in every state")
    func microseconds() throws {
        var ids: [Int: Epitaph.ID] = [:]
        for microsecond in (0..<100).shuffled() {
            ids[microsecond] = try fixture.file(minidump(of: crash(at: microsecond))).uuid
        }
        for microsecond in stride(from: 0, to: 100, by: 3) {
            try database.skipUpload(of: #require(ids[microsecond]))
        }
        for database in [database, try fixture.reopened()] {
            let all = try database.allReports().reports
            #expect(all.map(\.uuid) == (0..<100).compactMap { ids[$0] })
            #expect(all.map(\.crashTime) == (0..<100).map { crash(at: $0) })
            #expect(
                try database.reports(.completed).reports.map(\.uuid)
                    == stride(from: 0, to: 100, by: 3).compactMap { ids[$0] })
        }
        let summary = try database.prune(PrunePolicy(maxRecordCount: 40))
        // Completed ones can be spared first.
        let completed = stride(from: 0, to: 100, by: 3).compactMap { ids[$0] }
        let pending = (0..<100).filter { $0 % 3 != 0 }.compactMap { ids[$0] }
        #expect(summary.removals.map(\.candidate.uuid) == completed + pending.prefix(26))
    }

    @Test("Crashes at one time are in the order in which they were filed")
    func ties() throws {
        for time in [crash(at: 7), nil] {
            let filed = try (0..<50).map { _ in try fixture.file(minidump(of: time)).uuid }
            let listed = try database.allReports().reports.map(\.uuid)
            #expect(listed.filter(Set(filed).contains) == filed)
        }
    }

    @Test("The time of the crash is in the padding of Crashpad's metadata, behind a bit of its own")
    func metadataBytes() throws {
        let report = try fixture.file(minidump(of: crash(at: 5)))
        let bytes = try fixture.bytes("pending/\(report.stem).meta")
        // 1 699 999 940 000 005 µs = 0x060A24148AB905
        #expect(bytes[24...] == [0x80, 0x05, 0xB9, 0x8A, 0x14, 0x24, 0x0A, 0x06])
        try database.requestUpload(of: report.uuid)
        let asked = try fixture.bytes("pending/\(report.stem).meta")
        #expect(asked[24] == 0x82 && asked[25...31] == bytes[25...])
        let attempt = try database.beginUpload(of: report.uuid)
        try attempt.recordSuccess(serverID: "x")
        let sent = try fixture.bytes("completed/\(report.stem).meta")
        #expect(sent[24] == 0x81 && sent[25...] == bytes[25...] + Array("x".utf8))
        #expect(try database.report(report.uuid).crashTime == crash(at: 5))
    }

    @Test(
        "Metadata that others wrote does not tell it, whatever its padding; the minidump does",
        arguments: [
            [0x00] + [UInt8](repeating: 0, count: 7), [0x02] + [UInt8](7..<14),
            [0x80, 0, 0, 0, 0, 0, 0, 0],
        ])
    func others(tail: [UInt8]) throws {
        let report = try fixture.file(minidump(of: crash(at: 5)))
        let place = "pending/\(report.stem).meta"
        try fixture.write(Array(try fixture.bytes(place)[..<24]) + tail, place)
        #expect(try database.report(report.uuid).crashTime == crash(at: 5))
        // The next change keeps it there.
        try database.requestUpload(of: report.uuid)
        #expect(try fixture.bytes(place)[24] & 0x80 != 0)
        #expect(try database.report(report.uuid).crashTime == crash(at: 5))
    }

    @Test("What is no minidump, or does not tell, has the time of its filing")
    func unknown() throws {
        let garbage = try fixture.file(Array("MDMP and no more".utf8))
        #expect(garbage.crashTime == nil)
        #expect(garbage.order.time == fixture.clock.now())
        #expect(try fixture.file(minidump(of: nil)).crashTime == nil)
    }

    @Test("A crash whose clock was never set, or was ahead, counts as of its filing")
    func wrongClocks() throws {
        let before = try fixture.file(minidump(of: minuteBefore)).uuid
        fixture.clock.advance(bySeconds: 60)
        let unset = try fixture.file(minidump(of: Timestamp(secondsSince1970: 3_600.5)))
        fixture.clock.advance(bySeconds: 60)
        let ahead = try fixture.file(minidump(of: Timestamp(secondsSince1970: 2_000_000_000)))
        fixture.clock.advance(bySeconds: 60)
        let after = try fixture.file(minidump(of: fixture.clock.now())).uuid
        #expect(
            try database.allReports().reports.map(\.uuid) == [
                before, unset.uuid, ahead.uuid, after,
            ])
        // The time in the minidump is shown all the same.
        #expect(unset.crashTime == Timestamp(secondsSince1970: 3_600.5))
    }

    @Test("A report filed within the day does not go for a crash that seems old")
    func freshReports() throws {
        let earlier = try fixture.file(minidump(of: minuteBefore)).uuid
        fixture.clock.advance(bySeconds: 2 * 86_400)
        // The clock of the crash was off by a year.
        let wrong = try fixture.file(
            minidump(of: fixture.clock.now().adding(seconds: -100 * 86_400))
        ).uuid
        let policy = PrunePolicy(maxAgeDays: 30, maxRecordCount: 1)
        let first = try database.prune(policy)
        #expect(first.removals.map(\.candidate.uuid) == [earlier])
        let next = try fixture.file(minidump(of: fixture.clock.now())).uuid
        #expect(try database.prune(policy).removals.map(\.candidate.uuid) == [wrong])
        #expect(try database.allReports().reports.map(\.uuid) == [next])
    }

    @Test("A report that moves while all are listed is there once")
    func moving() throws {
        let ids = try (0..<20).map { try fixture.file(minidump(of: crash(at: $0))).uuid }
        let mover = Thread { [fixture] in
            guard let database = try? fixture.reopened() else { return }
            for _ in 0..<Sweep.count(40, oneOf: 2) {
                for id in ids { try? database.skipUpload(of: id) }
                for id in ids { try? database.requestUpload(of: id) }
            }
        }
        mover.start()
        while !mover.isFinished {
            let listed = try database.allReports().reports.map(\.uuid)
            #expect(listed.count == Set(listed).count)
            let summary = try database.prune(PrunePolicy(maxRecordCount: 20), mode: .dryRun)
            #expect(summary.removals.isEmpty)
            #expect(summary.keptCount <= 20)
        }
        #expect(try database.allReports().reports.map(\.uuid) == ids)
    }
}
