// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite("Bounds that nobody has asked for")
struct StandardPolicyTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }
    private let day = 86_400.0

    init() throws {
        fixture = try Fixture()
        _ = try database.prune(PrunePolicy())
    }

    private func later(days: Double) {
        fixture.clock.advance(bySeconds: days * day)
    }

    @Test("They are 90 days, 500 reports and 1,024 megabytes")
    func numbers() {
        let policy = PrunePolicy.standard
        #expect(policy.maxAgeDays == 90)
        #expect(policy.maxRecordCount == 500)
        #expect(policy.maxDatabaseSizeMB == 1_024)
    }

    @Test("Age takes what was sent or given up, and nothing that waits")
    func age() throws {
        let (sent, skipped, waiting) = (
            try fixture.file(), try fixture.file(), try fixture.file()
        )
        try database.beginUpload(of: sent.uuid).recordSuccess(serverID: "x")
        try database.skipUpload(of: skipped.uuid)
        later(days: 91)
        let summary = try database.prune(.standard)
        #expect(Set(summary.removals.map(\.candidate.uuid)) == [sent.uuid, skipped.uuid])
        #expect(summary.removals.allSatisfy { $0.reason == .tooOld })
        #expect(try database.allReports().reports.map(\.uuid) == [waiting.uuid])
    }

    @Test("A report that was sent and is in use makes no unsent one go in its place")
    func inUse() throws {
        let (sent, waiting) = (try fixture.file(), try fixture.file())
        try database.beginUpload(of: sent.uuid).recordSuccess(serverID: "x")
        let lock = fixture.path("completed/\(sent.stem).lock")
        try fixture.write([], "completed/\(sent.stem).lock")
        let holder = try LockHolder(.wholeFile, on: lock)
        #expect(try database.prune(PrunePolicy(maxRecordCount: 1)).removals.isEmpty)
        holder.end()
        let summary = try database.prune(PrunePolicy(maxRecordCount: 1))
        #expect(summary.removals.map(\.candidate.uuid) == [sent.uuid])
        #expect(try database.report(waiting.uuid).state == .pending)
    }

    @Test(
        "A clock that is wrong at the very first pass empties nothing, whichever way it is wrong",
        arguments: [400.0, 36_500, -400])
    func firstPass(days: Double) throws {
        let fixture = try Fixture()
        fixture.clock.advance(bySeconds: 900 * day)
        let report = try fixture.file()
        try fixture.database.skipUpload(of: report.uuid)
        fixture.clock.advance(bySeconds: days * day)
        let policy = PrunePolicy(maxAgeDays: 30)
        let witness = fixture.database.clockWitness()
        // What is filed by the wrong clock does not bear it out.
        try fixture.file()
        let first = try fixture.database.prune(policy, witness: witness)
        #expect(!first.isClockTrusted)
        #expect(first.removals.isEmpty && first.redated.isEmpty)
        #expect(try fixture.database.prune(policy).removals.isEmpty)
        // Right again: the time that the database itself held is what is believed.
        fixture.clock.advance(bySeconds: -days * day)
        #expect(try fixture.database.prune(policy).isClockTrusted)
        #expect(try fixture.database.report(report.uuid).state == .completed)
    }

    @Test("A database that nobody has looked at for years is pruned a day later")
    func confirmed() throws {
        let fixture = try Fixture()
        let report = try fixture.file()
        fixture.clock.advance(bySeconds: 1_000 * day)
        let policy = PrunePolicy(maxAgeDays: 30)
        #expect(try !fixture.database.prune(policy).isClockTrusted)
        fixture.clock.advance(bySeconds: day)
        #expect(
            try fixture.database.prune(policy).removals.map(\.candidate.uuid) == [report.uuid])
    }
}
