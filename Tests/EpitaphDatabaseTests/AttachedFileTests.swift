// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

@Suite("Files copied into a report")
struct AttachedFileTests {
    let fixture: Fixture
    var database: ReportDatabase { fixture.database }

    init() throws {
        fixture = try Fixture()
    }

    private func write(_ count: Int, _ name: String) throws -> String {
        try fixture.temporary.write([UInt8](repeating: 7, count: count), to: name)
    }

    @Test(
        "The name in the report is the last part of the path, in letters that are safe everywhere",
        arguments: [
            ("/var/log/d.log", nil, "d.log"), ("/a b/ü x.log", nil, "__x.log"),
            ("/", nil, "attachment"),
            ("/x/..", nil, "attachment"), ("/x", "my/name", "my_name"), ("", nil, "attachment"),
        ] as [(String, String?, String)])
    func names(path: String, name: String?, expected: String) throws {
        let file = AttachedFile(path, name: name)
        #expect(file.name == expected)
        try ReportDatabase.checkAttachmentName(file.name)
    }

    @Test("Files of one name are told apart")
    func apart() {
        let files = ["/a/x", "/b/x", "/c/2-x", "/d/x"].map { AttachedFile($0) }
        #expect(AttachedFile.namedApart(files).map(\.name) == ["x", "2-x", "2-2-x", "3-x"])
    }

    @Test("A file up to the limit is copied, one byte more is a problem that says so")
    func limit() throws {
        let report = try database.prepareReport()
        try report.append([1])
        try report.attach(AttachedFile(try write(100, "whole")), limitBytes: 100)
        let path = try write(101, "large")
        #expect(
            throws: AttachmentProblem.tooLarge(name: path, sizeBytes: 101, limitBytes: 100)
        ) { try report.attach(AttachedFile(path), limitBytes: 100) }
        let filed = try report.finish()
        #expect(try database.attachmentNames(of: filed.uuid) == ["whole"])
        #expect(try fixture.bytes("attachments/\(filed.stem)/whole").count == 100)
        #expect(AttachmentLimit.defaultBytes == 7_340_032)
    }

    @Test("Holes of a file stay holes: a file that takes no room costs none")
    func sparse() throws {
        let path = try write(3, "sparse")
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seek(toOffset: 4 << 20)
        try file.write(contentsOf: [9])
        try file.truncate(atOffset: 6 << 20)
        try file.close()
        let report = try database.prepareReport()
        try report.append([1])
        try report.attach(AttachedFile(path), limitBytes: 8 << 20)
        let name = "attachments/\(try report.finish().stem)/sparse"
        #expect(try fixture.bytes(name) == Array(Data(contentsOf: URL(fileURLWithPath: path))))
        var status = stat()
        try #require(stat(fixture.temporary.path("db/" + name), &status) == 0)
        #expect(status.st_blocks * 512 < 1 << 20, "\(status.st_blocks) blocks")
    }

    @Test("A link to a file is followed; what is no file, or not there, is a problem that names it")
    func kinds() throws {
        let report = try fixture.file()
        let target = try write(5, "2026.log")
        let link = fixture.temporary.path("current.log")
        #expect(symlink(target, link) == 0)
        try database.attach(AttachedFile(link), to: report.uuid)
        #expect(try fixture.bytes("attachments/\(report.stem)/current.log").count == 5)
        let fifo = fixture.temporary.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        for path in [fifo, fixture.temporary.path, fixture.temporary.path("none"), "/dev/null"] {
            #expect {
                try database.attach(AttachedFile(path), to: report.uuid)
            } throws: {
                "\($0)".hasPrefix("\(path) is not attached: ")
            }
        }
    }

    @Test("A name that is taken is a problem, and what is there stays; so does a busy report")
    func taken() throws {
        let report = try fixture.file()
        let file = AttachedFile(try write(5, "a.log"))
        try database.attach(file, to: report.uuid)
        _ = try write(9, "a.log")
        #expect(throws: AttachmentProblem.self) { try database.attach(file, to: report.uuid) }
        #expect(try fixture.bytes("attachments/\(report.stem)/a.log").count == 5)
        let attempt = try database.beginUpload(of: report.uuid)
        let other = AttachedFile(try write(5, "b.log"))
        #expect(throws: AttachmentProblem.self) { try database.attach(other, to: report.uuid) }
        attempt.recordFailure()
        #expect(throws: AttachmentProblem.self) { try database.attach(other, to: Epitaph.ID()) }
        #expect(try database.attachmentNames(of: report.uuid) == ["a.log"])
    }
}
