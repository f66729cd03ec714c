// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What is broken or left over is reported once and does not block a report for ever.
@Suite("Leftovers and broken pieces")
struct LeftoverTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    private func write(version: UInt32, _ stem: String) throws {
        let bytes = withUnsafeBytes(of: version.littleEndian) { Array($0) }
        try fixture.write(bytes + [UInt8](repeating: 0x41, count: 60), "pending/\(stem).meta")
    }

    @Test(
        "Garbage that begins like a version no program has is broken metadata, and made anew",
        arguments: [100, 0x6c6c_6568, 0x7fff_ffff, 0xffff_ffff] as [UInt32])
    func garbageVersion(version: UInt32) throws {
        let report = try fixture.file()
        try write(version: version, report.stem)
        let sentence = try #require(try database.report(report.uuid).metadataProblem)
        #expect(sentence.contains("\(report.stem).meta"))
        try database.beginUpload(of: report.uuid).recordSuccess(serverID: "x")
        #expect(try database.report(report.uuid).isUploaded)
    }

    @Test("Metadata of a later program is left alone, and its report says what to do")
    func laterVersion() throws {
        let report = try fixture.file()
        try write(version: 2, report.stem)
        #expect(throws: DatabaseError.self) { try database.beginUpload(of: report.uuid) }
        let sentence = try #require(try database.report(report.uuid).metadataProblem)
        #expect(sentence.contains("move the file away"))
        #expect(try fixture.bytes("pending/\(report.stem).meta").first == 2)
    }

    @Test(
        "What is no attachment among a report's attachments goes aside when the report goes",
        arguments: ["directory", "pipe", "name", "bytes"])
    func brokenAttachment(kind: String) throws {
        let new = try database.prepareReport()
        try new.append([1])
        try new.addAttachment("log").writeAll([4], at: 0)
        let report = try new.finish()
        let directory = fixture.path("attachments/\(report.stem)/")
        switch kind {
        case "directory": mkdir(directory + "inner", 0o700)
        case "pipe": mkfifo(directory + "pipe", 0o600)
        case "name": try fixture.write([1], "attachments/\(report.stem)/two words")
        default:
            let name = directory.utf8CString.dropLast() + [-1, -2, 0]
            #expect(mknod(Array(name), S_IFREG | 0o600, 0) == 0)
        }
        let summary = try database.prune(PrunePolicy(maxRecordCount: 0, maxDatabaseSizeMB: 0))
        #expect(summary.problems.isEmpty)
        try database.delete(report.uuid)
        #expect(try fixture.names("attachments").isEmpty)
        let aside = try fixture.names("quarantine")
        #expect(aside == ["\(report.stem).attachments-1700000000"])
        #expect(!fixture.exists("quarantine/\(report.stem).attachments-1700000000/log"))
    }

    @Test("Lone metadata and locks of the dead are settled when the database is opened next")
    func loneFiles() throws {
        let (one, other) = (Epitaph.ID().description, Epitaph.ID().description)
        try fixture.write([UInt8](repeating: 1, count: 32), "pending/\(one).meta")
        try fixture.write([UInt8](repeating: 0, count: 8), "pending/\(other).lock")
        try fixture.write([UInt8](repeating: 1, count: 32), "completed/\(other).meta")
        #expect(try !database.reports(.pending).problems.isEmpty)
        let opened = try ReportDatabase(
            opening: fixture.temporary.path("db"), ifMissing: .create, clock: fixture.clock)
        #expect(try fixture.names("pending") == [])
        #expect(try fixture.names("completed") == [])
        #expect(try opened.allReports().problems.isEmpty)
    }

    @Test("A lock that is held is left, and so is metadata that goes with it")
    func heldLock() throws {
        let report = try fixture.file()
        let attempt = try database.beginUpload(of: report.uuid)
        let lone = Epitaph.ID().description
        try fixture.write([], "completed/\(lone).lock")
        let holder = try LockHolder(.wholeFile, on: fixture.path("completed/\(lone).lock"))
        try fixture.write([UInt8](repeating: 1, count: 32), "completed/\(lone).meta")
        _ = try ReportDatabase(
            opening: fixture.temporary.path("db"), ifMissing: .create, clock: fixture.clock)
        #expect(try fixture.names("completed") == ["\(lone).lock", "\(lone).meta"])
        #expect(fixture.exists("pending/\(report.stem).lock"))
        holder.end()
        try attempt.recordSuccess(serverID: "x")
    }

    @Test("A second name that a maker of locks left does not hold up the report it is the lock of")
    func secondName() throws {
        let report = try fixture.file()
        let dead = Epitaph.ID().description
        // Its owner is no process of this boot.
        var bytes = [UInt8](repeating: 0, count: 8) + Array("EPLK".utf8)
        bytes += [UInt8](repeating: 7, count: 36)
        try fixture.write(bytes, "pending/\(dead).lock")
        #expect(
            link(
                fixture.path("pending/\(dead).lock"),
                fixture.path("pending/\(report.stem).lock")) == 0)
        let opened = try ReportDatabase(
            opening: fixture.temporary.path("db"), ifMissing: .create, clock: fixture.clock)
        #expect(!fixture.exists("pending/\(dead).lock"))
        try opened.beginUpload(of: report.uuid).recordSuccess(serverID: "x")
        #expect(try fixture.names("pending") == [])
    }
}
