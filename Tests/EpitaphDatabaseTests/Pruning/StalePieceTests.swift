// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct StalePieceTests {
    let fixture: Fixture
    let uuid = Epitaph.ID()
    var stem: String { uuid.description }

    init() throws {
        fixture = try Fixture()
        for name in ["delivery", "signatures"] { try Directory.make(fixture.path(name)) }
        // Files get the machine's time, so the clock has to be near it.
        let ahead = Timestamp.now.seconds(since: fixture.clock.now())
        fixture.clock.advance(bySeconds: ahead)
    }

    private func stale() throws -> [String] {
        let dry = try fixture.database.prune(PrunePolicy(), mode: .dryRun).stalePaths
        let summary = try fixture.database.prune(PrunePolicy())
        #expect(summary.problems == [])
        #expect(Set(dry).isSubset(of: summary.stalePaths))
        return summary.stalePaths.map { String($0.dropFirst(fixture.path("").count)) }
    }

    @Test(
        "What nobody touched for a day goes, be it ever so far in the past or the future",
        arguments: [
            "new/*.dmp", "new/*.meta", "new/*.lock", "new/*.clock", "new/*.json", "attachments/*",
            "delivery/*.json", "delivery/*.json.corrupt-1700000000-2", "signatures/*",
        ], [86_500.0, -86_500, 1e9])
    func old(pattern: String, passed: Double) throws {
        let name = pattern.replacingOccurrences(of: "*", with: stem)
        if pattern == "attachments/*" {
            try Directory.make(fixture.path(name))
            try fixture.write([1], name + "/log")
        } else {
            try fixture.write([1], name)
        }
        #expect(try stale() == [])
        fixture.clock.advance(bySeconds: passed)
        #expect(try stale() == [name])
        #expect(!fixture.exists(name))
        #expect(try stale() == [])
    }

    @Test("Metadata and locks without a report go as soon as the lock can be had")
    func lonely() throws {
        try fixture.write([UInt8](repeating: 0, count: 32), "completed/\(stem).meta")
        try fixture.write([], "pending/\(stem).lock")
        #expect(try stale() == ["completed/\(stem).meta"])
        fixture.clock.advance(bySeconds: 130)
        #expect(try stale() == ["pending/\(stem).lock"])
        #expect(try fixture.names("pending").isEmpty && fixture.names("completed").isEmpty)
    }

    @Test("The lock of a dead owner does not keep a report for ever")
    func lockOfTheDead() throws {
        let report = try fixture.file()
        try fixture.database.skipUpload(of: report.uuid)
        // It does not say which process it belonged to, so it counts for two minutes.
        try fixture.write([], "completed/\(report.stem).lock")
        #expect(try fixture.database.report(report.uuid).isLocked)
        #expect(try stale() == [])
        fixture.clock.advance(bySeconds: 130)
        let summary = try fixture.database.prune(PrunePolicy(maxDatabaseSizeMB: 1))
        #expect(summary.stalePaths == [fixture.path("completed/\(report.stem).lock")])
        #expect(try !fixture.database.report(report.uuid).isLocked)
        #expect(try fixture.names("completed").count == 2)
    }

    @Test("What belongs to a report stays, in whatever state the report is", arguments: 0..<3)
    func owned(state: Int) throws {
        let new = try fixture.database.prepareReport(uuid)
        try new.append([1])
        _ = try new.addAttachment("log")
        try fixture.write([1], "delivery/\(stem).json")
        try fixture.write([1], "signatures/\(stem)")
        if state > 0 { try new.finish() }
        if state > 1 { try fixture.database.skipUpload(of: uuid) }
        fixture.clock.advance(bySeconds: 10 * 86_400)
        #expect(try stale() == [])
        if state == 0 { try new.finish() }
        #expect(try fixture.database.attachmentNames(of: uuid) == ["log"])
    }

    @Test("A writer that lives keeps what it writes, however long that takes")
    func livingWriter() throws {
        try fixture.write([1], "new/\(stem).dmp")
        fixture.clock.advance(bySeconds: 10 * 86_400)
        let writer = try LockHolder(.wholeFile, on: fixture.path("new/\(stem).dmp"))
        #expect(try stale() == [])
        writer.end()
        #expect(try stale() == ["new/\(stem).dmp"])
    }

    @Test("An interrupted move is carried through or forgotten, and its report stays")
    func interruptedMoves() throws {
        let sent = try fixture.file()
        var meta = try fixture.bytes("pending/\(sent.stem).meta")
        meta[24] = 1
        try fixture.write(meta, "completed/\(sent.stem).meta")
        let skipped = try fixture.file()
        meta[24] = 0
        try fixture.write(meta, "completed/\(skipped.stem).meta")
        #expect(try stale() == ["completed/\(skipped.stem).meta"])
        #expect(try fixture.database.report(sent.uuid).isUploaded)
        #expect(try fixture.database.report(skipped.uuid).state == .pending)
        #expect(try fixture.names("completed").count == 2)
        #expect(try fixture.names("pending").count == 2)
    }

    @Test("Files with names that no report has stay for ever")
    func strangers() throws {
        let names = [
            "new/notes.txt", "new/\(stem)", "pending/README", "completed/x.meta",
            "attachments/\(stem.uppercased())", "delivery/\(stem)", "signatures/\(stem).json",
            "signatures/.hidden",
        ]
        for name in names { try fixture.write([1], name) }
        fixture.clock.advance(bySeconds: 400 * 86_400)
        #expect(try stale() == [])
        for name in names { #expect(fixture.exists(name)) }
    }
}
