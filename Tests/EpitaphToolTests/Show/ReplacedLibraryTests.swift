// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("A report of a program whose library was replaced")
struct ReplacedLibraryTests {
    private let work: TemporaryDirectory
    private let database: String
    private let library: String

    init() throws {
        work = try TemporaryDirectory()
        database = work.path("database")
        library = work.path("library.so")
        try compile("library.so", "call(); return 1;")
    }

    private func compile(_ name: String, _ body: String) throws {
        let source = "int call_from_library(void (*call)(void)) { \(body) }\n"
        try work.write(Array(source.utf8), to: "\(name).c")
        try runTool([
            "gcc", "-g", "-shared", "-fPIC", "-Wl,--build-id", "-o", work.path(name),
            work.path("\(name).c"),
        ])
    }

    /// The report of a crash below the library's function, filed.
    private func file(_ way: String) throws {
        try compile("replacement", "for (int i = 0; i < 3; i++) call(); return 2;")
        _ = try Subprocess.run(
            [Victim.c.path, database, way, "0"],
            environment: ["REPLACEMENT": work.path("replacement"), "LIBRARY": library])
        let filed = try dumpConvert("process", "--database", database)
        try #require(filed.exitStatus == 0, "\(filed.standardError)")
    }

    private func show() throws -> String {
        try dumpConvert("show", "latest", "--database", database).standardOutput
    }

    @Test("while it ran: that is said, and no frame is lost")
    func whileItRan() throws {
        try file("replaced-library")
        let text = try show()
        #expect(text.contains("\(library) was replaced while it ran"))
        #expect(!text.contains("after the crash"))
        #expect(text.contains(" in library.so+0x"))
        #expect(text.contains(" main at "))
        #expect(!text.contains("a stack scan"))
    }

    @Test("after the crash, and after the report was filed: that is said, names and all are there")
    func afterTheCrash() throws {
        try file("kept-library")
        let before = try show()
        #expect(before.contains("call_from_library at "))
        #expect(!before.contains("replaced"))
        #expect(
            try Subprocess.run(["mv", work.path("replacement"), library]).ending == .exited(0))
        let text = try show()
        #expect(text.contains("\(library) was replaced after the crash"))
        #expect(!text.contains("while it ran"))
        #expect(text.contains("call_from_library at "))
        #expect(text.contains("(named when filed)"))
        #expect(text.contains(" main at "))
    }
}
