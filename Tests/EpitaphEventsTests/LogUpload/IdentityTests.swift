// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("One log among others that are renamed around it")
struct IdentityTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    @Test("A log that is rotated on while it is sent is deleted under its new name, and no other")
    func rotatedWhileSent() throws {
        try lab.write("sent", to: "app.log.1")
        lab.server.beforeBody = { [lab] in
            lab.rename("app.log.1", "app.log.2")
            try? lab.write("newer", to: "app.log.1", age: 0)
        }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["sent"])
        #expect(lab.names == ["app.log.1"])
        #expect(lab.text("app.log.1") == "newer")
    }

    @Test("A log keeps its id over names, attempts and restarts, and gets another when it grows")
    func ids() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.answer = { _ in UploadResponse(status: 500) }
        for name in ["app.log.1", "app.log.2"] {
            lab.rename(lab.names[0], name)
            var pass = try lab.pass()
            _ = pass.run()
        }
        try lab.write("text and more", to: "app.log.2")
        var pass = try lab.pass()
        _ = pass.run()
        let ids = lab.server.requests.map(\.id)
        #expect(ids.count == 3)
        #expect(ids[0] == ids[1])
        #expect(ids[1] != ids[2])
    }

    @Test("Ids are UUIDs of version 8 and differ in every part they are made of")
    func idForm() {
        func file(_ inode: UInt64, _ size: Int, _ time: Double) -> LogFile {
            LogFile(
                name: "a", directoryPath: "/", identity: FileIdentity(device: 1, inode: inode),
                sizeBytes: size, modificationTime: Timestamp(secondsSince1970: time))
        }
        var ids: Set<Epitaph.ID> = []
        for inode in 0..<20 {
            for size in 0..<20 {
                for time in 0..<20 {
                    let id = file(UInt64(inode), size, Double(time) / 1_000).id
                    #expect(id.version == 8)
                    #expect(id.bytes[8] >> 6 == 0b10)
                    ids.insert(id)
                }
            }
        }
        #expect(ids.count == 8_000)
    }

    @Test("A log that is written to while it is sent stays, and is sent again as it is then")
    func writtenWhileSent() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.beforeBody = { [lab] in
            try? lab.write("text and more", to: "app.log.1", age: 1)
            lab.server.beforeBody = {}
        }
        var pass = try lab.pass()
        #expect(pass.run().failedCount == 1)
        #expect(lab.server.texts == ["text"])
        #expect(
            lab.delegate.news() == [
                "failed app.log.1: it was written to while it was being sent, and is sent again as "
                    + "it is then"
            ])
        _ = pass.run()
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text", "text and more"])
    }

    @Test("A log that is cut off while it is sent is an error that names it, and stays")
    func cutWhileSent() throws {
        try lab.write(String(repeating: "x", count: 100_000), to: "app.log.1")
        lab.server.beforeBody = { [lab] in truncate(lab.path + "/app.log.1", 10) }
        var pass = try lab.pass()
        _ = pass.run()
        let news = lab.delegate.news()
        #expect(news.count == 1)
        #expect(news[0].hasPrefix("failed app.log.1: \(lab.path)/app.log.1 cannot be sent: "))
        #expect(lab.names == ["app.log.1"])
    }

    @Test("A log that somebody opens for writing while it is sent is deleted once it is closed")
    func openedWhileSent() throws {
        try lab.write("text", to: "app.log.1")
        var writer: Int32 = -1
        lab.server.beforeBody = { [lab] in
            writer = open(lab.path + "/app.log.1", O_WRONLY | O_APPEND | O_CLOEXEC)
        }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.delegate.news() == ["did app.log.1 and left it"])
        #expect(pass.run().waitingCount == 1)
        try closeLog(writer, lab.path + "/app.log.1")
        _ = pass.run()
        #expect(lab.names.isEmpty)
        #expect(lab.server.requests.count == 1)
        #expect(lab.delegate.news().isEmpty)
    }

    @Test("A log deleted while it is sent, by whomever, was sent")
    func deletedWhileSent() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.beforeBody = { [lab] in lab.remove("app.log.1") }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text"])
        _ = pass.run()
        #expect(lab.delegate.news() == ["did app.log.1"])
    }

    @Test("A link put in the directory's place while a log is sent leads nowhere")
    func swappedDirectory() throws {
        try lab.write("text", to: "app.log.1")
        lab.server.beforeBody = { [lab] in
            lab.moveDirectoryAway()
            #expect(symlink("elsewhere", lab.path) == 0)
        }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.delegate.news() == ["did app.log.1 and left it"])
        #expect(FileManager.default.fileExists(atPath: lab.parent.path("elsewhere/app.log.1")))
    }

    @Test("Two uploaders on one directory send each log once")
    func twoUploaders() throws {
        for number in 1...5 { try lab.write("\(number)", to: "app.log.\(number)") }
        var other = try lab.pass()
        var isNested = false
        lab.server.beforeBody = {
            guard !isNested else { return }
            isNested = true
            // While the first sends one log, the second goes through all of them.
            #expect(other.run().waitingCount == 1)
            isNested = false
        }
        var pass = try lab.pass()
        _ = pass.run()
        #expect(Set(lab.server.texts) == ["1", "2", "3", "4", "5"])
        #expect(lab.server.requests.count == 5)
        _ = other.run()
        #expect(!lab.delegate.events.contains("vanished app.log.1"))
    }

    @Test("A log that another uploader is sending has not vanished when it is done")
    func taken() throws {
        try lab.write("text", to: "app.log.1")
        let file = try FileDescriptor.openForReading(lab.path + "/app.log.1")
        #expect(try file.tryLocking(.exclusive))
        var pass = try lab.pass()
        #expect(pass.run().waitingCount == 1)
        lab.remove("app.log.1")
        _ = pass.run()
        #expect(lab.delegate.news().isEmpty)
        #expect(lab.server.requests.isEmpty)
    }
}
