// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("The name a log has for the moment before it is deleted")
struct SetAsideTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    @Test(
        "What a killed uploader was about to delete is deleted; all else gets its name back"
    )
    func recovery() throws {
        func file(_ name: String) throws -> LogFile {
            let status = try #require(try Directory(opening: lab.path).status(of: name))
            return LogFile(name: name, directoryPath: lab.path, status: status)
        }
        for name in ["a.log.1", "b.log.1", "c.log.1"] { try lab.write(name, to: name) }
        let meant = try file("a.log.1").id
        for name in ["a.log.1", "b.log.1", "c.log.1"] {
            lab.rename(name, SetAside(id: meant, originalName: name).name)
        }
        try lab.write("newer", to: "c.log.1", age: 10_000)
        try lab.write("foreign", to: ".epitaph-notes")
        var pass = try lab.pass()
        lab.delegate.isWilling = { _ in false }
        _ = pass.run()
        #expect(lab.names == [".epitaph-notes", "b.log.1", "c.log.1", "c.log.1.restored-1"])
        #expect(lab.text("b.log.1") == "b.log.1")
        #expect(lab.text("c.log.1") == "newer")
        #expect(lab.text("c.log.1.restored-1") == "c.log.1")
    }

    @Test("Of a name that leaves no room the end is kept, and the name is no longer than can be")
    func longNames() throws {
        let original = "é" + String(repeating: "x", count: 240) + ".log.1"
        let aside = SetAside(id: Epitaph.ID(), originalName: original)
        #expect(aside.name.utf8.count == 255)
        let read = try #require(SetAside(name: aside.name))
        #expect(read.id == aside.id && original.hasSuffix(read.originalName))
        #expect(read.originalName.hasSuffix(".log.1"))
    }

    @Test("A name that leaves no room for another is deleted all the same")
    func longName() throws {
        let name = "app.log." + String(repeating: "1", count: 240)
        try lab.write("text", to: name)
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.names.isEmpty)
    }
}
