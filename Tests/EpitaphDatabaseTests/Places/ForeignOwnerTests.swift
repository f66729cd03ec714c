// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Root working in a database of a malicious user.
@Suite(
    "Root in another user's database",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct ForeignOwnerTests {
    let fixture: Fixture
    let report: Report
    let database: ReportDatabase
    static let secret = Array("root's own".utf8)

    init() throws {
        fixture = try Fixture()
        let new = try fixture.database.prepareReport()
        try new.append([1, 2, 3])
        try new.addAttachment("log").writeAll([4], at: 0)
        report = try new.finish()
        chmod(fixture.temporary.path, 0o711)
        try OtherUser.own(fixture.temporary.path("db"))
        database = try ReportDatabase(
            opening: fixture.temporary.path("db"), ifMissing: .create, clock: fixture.clock)
        // What the user is after: a directory and a file of root's.
        mkdir(fixture.temporary.path("vault"), 0o700)
        try fixture.temporary.write(Self.secret, to: "vault/log")
        chmod(fixture.temporary.path("vault/log"), 0o600)
    }

    @Test("Whatever is done in it, all of it stays the owner's")
    func everything() throws {
        let new = try database.prepareReport()
        try new.append([5])
        try new.addAttachment("more").writeAll([6], at: 0)
        let second = try new.finish()
        try database.updateSettings { $0.uploadsEnabled = true }
        try database.attach(
            AttachedFile(fixture.temporary.path("vault/log"), name: "handed-over"), to: second.uuid)
        var state = DeliveryState()
        state.isFinal = true
        try database.beginUpload(of: second.uuid).recordFailure(state)
        try database.requestUpload(of: second.uuid)
        try database.beginUpload(of: report.uuid).recordSuccess(serverID: "x")
        try fixture.temporary.write([1], to: "db/completed/\(report.stem).meta")
        try OtherUser.own(fixture.temporary.path("db"))
        try database.pause("https://example.org", until: Timestamp.now.adding(seconds: 1_000))
        _ = try database.prune(PrunePolicy(maxRecordCount: 1))
        #expect(try OtherUser.foreign(below: fixture.temporary.path("db")) == [])
        let names = try fixture.names("")
        #expect(names.contains("prune-clock") && names.contains("settings.dat"))
    }

    @Test("Links, hard links and files of root's in its places give nothing and get nothing")
    func traps() throws {
        let vault = fixture.temporary.path("vault")
        let attachments = fixture.path("attachments/\(report.stem)")
        try FileManager.default.removeItem(atPath: attachments)
        symlink(vault, attachments)
        #expect(throws: DatabaseError.self) { try database.attachmentNames(of: report.uuid) }
        #expect(throws: DatabaseError.self) { try database.attachment("log", of: report.uuid) }
        unlink(attachments)
        mkdir(attachments, 0o700)
        link(vault + "/log", attachments + "/log")
        try FileManager.default.removeItem(atPath: report.path)
        link(vault + "/log", report.path)
        link(vault + "/log", fixture.path("settings.dat"))
        try OtherUser.own(fixture.temporary.path("db/new"))
        lchown(attachments, OtherUser.id, OtherUser.id)
        // As they are: root's, with two names.
        #expect(throws: DatabaseError.self) { try database.openMinidump(of: report.uuid) }
        #expect(throws: DatabaseError.self) { try database.attachment("log", of: report.uuid) }
        #expect(throws: DatabaseError.self) { try database.storedSettings() }
        #expect(throws: DatabaseError.self) { try database.updateSettings { _ in } }
        _ = try? database.delete(report.uuid)
        #expect(try fixture.temporary.contents("vault/log") == Self.secret)
        var status = stat()
        #expect(lstat(vault + "/log", &status) == 0)
        #expect(status.st_uid == 0)
    }

    @Test("Directories that an earlier version made root's are given back with their reports")
    func givenBack() throws {
        for name in ["new", "pending", "attachments"] {
            lchown(fixture.path(name), 0, 0)
        }
        for name in try fixture.names("pending") { lchown(fixture.path("pending/" + name), 0, 0) }
        try FileManager.default.removeItem(atPath: fixture.path("attachments/\(report.stem)"))
        _ = try fixture.database.updateSettings { $0.uploadsEnabled = true }
        lchown(fixture.path("settings.dat"), 0, 0)
        let mended = try ReportDatabase(
            opening: fixture.temporary.path("db"), ifMissing: .create, clock: fixture.clock)
        #expect(Set(mended.givenBack) == ["new", "pending", "attachments", "settings.dat"])
        #expect(try OtherUser.foreign(below: fixture.temporary.path("db")) == [])
        #expect(try mended.settings().uploadsEnabled)
        #expect(try mended.contents(of: report).array == [1, 2, 3])
    }

    @Test("What is root's and not provably the database's stays root's")
    func notGivenBack() throws {
        let path = fixture.temporary.path("db")
        // A directory of root's that the user moved here, and a file.
        try FileManager.default.removeItem(atPath: path + "/completed")
        mkdir(path + "/completed", 0o700)
        try fixture.temporary.write(Self.secret, to: "db/completed/secret")
        try fixture.temporary.write(Self.secret, to: "db/settings.dat")
        // A report of root's with a second name elsewhere.
        lchown(path + "/pending", 0, 0)
        lchown(report.path, 0, 0)
        link(report.path, path + "/second-name")
        #expect(throws: DatabaseError.self) {
            try ReportDatabase(opening: path, ifMissing: .create, clock: fixture.clock)
        }
        var status = stat()
        for name in ["completed", "completed/secret", "settings.dat", "pending", "second-name"] {
            #expect(lstat(path + "/" + name, &status) == 0)
            #expect(status.st_uid == 0, "\(name)")
        }
    }

    @Test("Swapping attachments for a link to root's directory, over and over, reads nothing of it")
    func swappedAttachments() throws {
        let attacker = try Attacker.swapping(
            fixture.path("attachments/\(report.stem)"), forLinkTo: fixture.temporary.path("vault"))
        try readRepeatedly(beside: attacker, expecting: [4]) {
            try database.attachment("log", of: report.uuid)
        }
    }

    /// Opens and reads a file while another process keeps swapping it for another.
    private func readRepeatedly(
        beside attacker: Attacker, expecting contents: [UInt8], _ open: () throws -> FileDescriptor
    ) throws {
        var readCount = 0
        for _ in 0..<20_000 where readCount < 500 {
            guard let file = try? open(), let bytes = try? file.readAll() else { continue }
            readCount += 1
            try #require(bytes == contents)
        }
        #expect(readCount > 0)
        #expect(attacker.isRunning)
    }

    @Test("Swapping a report for a link to a file of root's, over and over, reads nothing of it")
    func swappedReport() throws {
        let attacker = try Attacker.swapping(
            report.path, forLinkTo: fixture.temporary.path("vault/log"))
        try readRepeatedly(beside: attacker, expecting: [1, 2, 3]) {
            try database.openMinidump(of: report.uuid)
        }
    }

    @Test("Pruning while directories are swapped for links to root's removes nothing of root's")
    func swappedWhilePruning() throws {
        let names = ["pending", "attachments", "quarantine", "delivery", "signatures"]
        mkdir(fixture.temporary.path("vault/inner"), 0o777)
        for name in ["quarantine", "delivery", "signatures"] {
            mkdir(fixture.path(name), 0o700)
            lchown(fixture.path(name), OtherUser.id, OtherUser.id)
        }
        // Names that pruning removes where it meets them.
        for name in ["\(Epitaph.ID().description)", "\(Epitaph.ID().description).meta"] {
            try fixture.temporary.write(Self.secret, to: "vault/" + name)
        }
        chmod(fixture.temporary.path("vault"), 0o755)
        let before = try FileManager.default.contentsOfDirectory(
            atPath: fixture.temporary.path("vault"))
        let attacker = try Attacker(
            """
            for name in argv[2:]:
                path = argv[0] + "/" + name
                try:
                    os.rename(path, path + ".real")
                    os.symlink(argv[1], path)
                    os.unlink(path)
                    os.rename(path + ".real", path)
                except OSError: pass
            """, fixture.temporary.path("db"), fixture.temporary.path("vault"), names[0], names[1],
            names[2], names[3], names[4])
        let later = TestClock(Timestamp(secondsSince1970: 1_700_000_000))
        later.advance(bySeconds: 86_400 * 400)
        for _ in 0..<60 {
            guard
                let database = try? ReportDatabase(
                    opening: fixture.temporary.path("db"), ifMissing: .create, clock: later)
            else { continue }
            _ = try? database.prune(PrunePolicy(maxAgeDays: 1, maxRecordCount: 1))
        }
        #expect(attacker.isRunning)
        let after = try FileManager.default.contentsOfDirectory(
            atPath: fixture.temporary.path("vault"))
        #expect(Set(after) == Set(before))
    }
}
