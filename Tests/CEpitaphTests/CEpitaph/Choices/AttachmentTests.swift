// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct AttachmentTests {
    @Test("A dump names the program's files, and whoever converts it attaches what may be attached")
    func attached() throws {
        let directory = try TemporaryDirectory()
        let log = try directory.write(Array("up\n".utf8), to: "the.log")
        let run = try Dummy("attachments", environment: ["ATTACHED": log])
        let snapshot = try run.snapshot()
        #expect(
            snapshot.attachments == [
                NamedFile(path: log, name: "my.log"),
                NamedFile(path: "/proc/self/status", name: "status"),
                NamedFile(path: "/dev/zero", name: "zero"),
            ])
        let converted = try Subprocess.run([
            Products.executable("dump-convert"), "process", "--database", run.directory.path("db"),
        ])
        #expect(converted.ending == .exited(0), "\(converted.standardError)")
        #expect(converted.standardError.contains("/proc/self/status is not attached"))
        #expect(converted.standardError.contains("/dev/zero is not attached"))
        let database = try ReportDatabase(opening: run.directory.path("db"), ifMissing: .fail)
        let report = try #require(try database.reports(.pending).reports.first)
        #expect(try database.attachmentNames(of: report.uuid) == ["my.log"])
    }

    @Test("There is room for 32, and one that is removed makes room for another")
    func full() throws {
        let attachments = try Dummy("attachments-full").snapshot().attachments
        #expect(attachments.count == 32)
        #expect(attachments.contains(NamedFile(path: "/file", name: "one-more")))
        #expect(attachments.contains(NamedFile(path: "/other", name: "file-3")))
        #expect(!attachments.contains { $0.name == "file-5" })
    }

    @Test("Attachments that threads change while the program dies are whole or not there")
    func hammered() throws {
        let run = try Dummy("attachments-hammered")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let attachments = try run.snapshot().attachments
        #expect(attachments.count <= 4)
        for attachment in attachments {
            let letters = attachment.path.utf8.dropFirst()
            #expect(letters.count == 1 || letters.count == 3_998)
            #expect(Set(letters).count == 1)
        }
    }

    @Test("A file larger than may be attached, a lost one, and a FIFO cost the attachment alone")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let large = directory.path("large")
        #expect(FileManager.default.createFile(atPath: large, contents: nil))
        try FileDescriptor.open(large, flags: O_RDWR, mode: 0).truncate(toBytes: 8 << 20)
        let pipe = directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [large, pipe, directory.path("missing"), directory.path] {
            let run = try Dummy("attachments", environment: ["ATTACHED": path])
            let converted = try Subprocess.run([
                Products.executable("dump-convert"), "process", "--database",
                run.directory.path("db"),
            ])
            #expect(converted.ending == .exited(0), "\(converted.standardError)")
            #expect(converted.standardError.contains("\(path) is not attached"))
            let database = try ReportDatabase(
                opening: run.directory.path("db"), ifMissing: .fail)
            let report = try #require(try database.reports(.pending).reports.first)
            #expect(try database.attachmentNames(of: report.uuid).isEmpty)
        }
    }

    @Test("An error that a C program handled is a dump of its thread, with type and words")
    func errorReport() throws {
        let run = try Dummy("error-report", threads: 2)
        #expect(run.result.ending == .exited(0), "\(run.result.standardOutput)")
        let snapshot = try run.snapshot()
        #expect(snapshot.kind == .handledError)
        #expect(snapshot.errorType == "Ledger? torn?")
        #expect(snapshot.messages.first?.text == "Ledger? torn?: row 7: gone")
        #expect(snapshot.threads.count == 1)
    }
}
