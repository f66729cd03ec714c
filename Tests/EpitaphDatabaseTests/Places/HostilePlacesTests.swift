// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Something else where a file or directory of the database should be. Nothing outside is read or
/// changed, and nothing waits.
@Suite struct HostilePlacesTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    private func outside() throws -> String {
        let path = fixture.temporary.path("outside")
        try FileManager.default.moveItem(atPath: fixture.path("pending"), toPath: path)
        return path
    }

    @Test(
        "A directory swapped for a symbolic link is refused, for reading as well",
        arguments: ["new", "pending", "completed", "attachments"])
    func swappedDirectory(name: String) throws {
        let real = fixture.temporary.path("outside")
        try FileManager.default.moveItem(atPath: fixture.path(name), toPath: real)
        symlink(real, fixture.path(name))
        for ifMissing in [ReportDatabase.IfMissing.create, .fail] {
            let error = #expect(throws: DatabaseError.self) {
                try ReportDatabase(opening: fixture.temporary.path("db"), ifMissing: ifMissing)
            }
            let sentence = error?.description ?? ""
            #expect(sentence.hasPrefix(fixture.path(name)))
            #expect(sentence.contains("symbolic link"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: real).isEmpty)
    }

    @Test("A directory swapped while the database is open gets nothing")
    func swappedMeanwhile() throws {
        let report = try fixture.file()
        let real = try outside()
        let trap = fixture.temporary.path("trap")
        try Directory.make(trap)
        symlink(trap, fixture.path("pending"))
        try fixture.file()
        try database.skipUpload(of: report.uuid)
        #expect(try FileManager.default.contentsOfDirectory(atPath: trap).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: real).count == 2)
    }

    @Test("A link above the database is followed: that is how the operator laid out the disk")
    func linkAbove() throws {
        symlink(fixture.temporary.path, fixture.temporary.path("above"))
        let other = try ReportDatabase(
            opening: fixture.temporary.path("above/db"), ifMissing: .fail)
        #expect(try other.reports(.pending) == ReportList())
    }

    @Test(
        "Something else in a directory's place is refused and waits for nobody",
        arguments: ["new", "pending", "completed", "attachments"])
    func noDirectory(name: String) throws {
        rmdir(fixture.path(name))
        for make in [
            { mkfifo(fixture.path(name), 0o600) }, { creat(fixture.path(name), 0o600) },
        ] {
            #expect(make() >= 0)
            #expect(throws: DatabaseError.self) { try fixture.reopened() }
            #expect(throws: DatabaseError.self) {
                try ReportDatabase(opening: fixture.temporary.path("db"), ifMissing: .create)
            }
            unlink(fixture.path(name))
        }
    }

    @Test(
        "Directories beside the reports' own are as guarded", arguments: ["quarantine", "delivery"])
    func sideDirectories(name: String) throws {
        let trap = fixture.temporary.path("trap")
        try Directory.make(trap)
        symlink(trap, fixture.path(name))
        let report = try fixture.file()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: trap + "/\(report.stem).json"))
        try fixture.write([1], "pending/\(report.stem).meta")
        // Nothing can be kept aside, so nothing is changed.
        if name == "quarantine" {
            #expect(throws: DatabaseError.self) { try database.beginUpload(of: report.uuid) }
            #expect(try fixture.bytes("pending/\(report.stem).meta") == [1])
        }
        let summary = try database.prune(PrunePolicy(maxAgeDays: 1))
        #expect(name != "quarantine" || !summary.problems.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: trap) == ["\(report.stem).json"])
    }

    @Test("A FIFO, a link or a device as a minidump is told of and stops nothing", arguments: 0..<3)
    func minidump(kind: Int) throws {
        let good = try fixture.file()
        let bad = try fixture.file()
        unlink(bad.path)
        switch kind {
        case 0: mkfifo(bad.path, 0o600)
        case 1: symlink("/etc/passwd", bad.path)
        // The memory device of null(4); needs the right to make one.
        default: guard mknod(bad.path, S_IFCHR | 0o600, 0x103) == 0 else { return }
        }
        let list = try database.reports(.pending)
        #expect(list.reports.map(\.uuid) == [good.uuid])
        #expect(list.problems.map(\.path) == [bad.path])
        #expect(throws: DatabaseError.self) { try database.beginUpload(of: bad.uuid) }
        #expect(throws: DatabaseError.self) { try database.contents(of: bad) }
        try database.beginUpload(of: good.uuid).recordFailure()
    }

    @Test("A FIFO or a link where a new minidump or its metadata is written", arguments: 0..<4)
    func newFiles(kind: Int) throws {
        let uuid = Epitaph.ID()
        let stem = uuid.description
        let path = fixture.path("new/\(stem)" + (kind < 2 ? ".dmp" : ".meta"))
        let victim = try fixture.temporary.write([1, 2, 3], to: "victim")
        if kind.isMultiple(of: 2) { mkfifo(path, 0o600) } else { symlink(victim, path) }
        #expect(throws: DatabaseError.self) { try fixture.file([5], uuid) }
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: victim))) == [1, 2, 3])
        #expect(try database.reports(.pending).reports.isEmpty)
        unlink(path)
        try fixture.file([5], uuid)
    }

    @Test("An attachment directory that is a link is put aside as it is, and the report is deleted")
    func attachments() throws {
        let report = try fixture.file()
        let trap = fixture.temporary.path("trap")
        try Directory.make(trap)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: trap + "/log"))
        symlink(trap, fixture.path("attachments/\(report.stem)"))
        #expect(throws: DatabaseError.self) { try database.attachmentNames(of: report.uuid) }
        try database.delete(report.uuid)
        #expect(throws: DatabaseError.notFound(report.stem)) { try database.report(report.uuid) }
        #expect(try fixture.names("attachments").isEmpty)
        #expect(
            try fixture.names("quarantine") == ["\(report.stem).attachments-1700000000"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: trap) == ["log"])
    }
}
