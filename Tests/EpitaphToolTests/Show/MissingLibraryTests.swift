// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert where libraries that it can do without cannot be loaded")
struct MissingLibraryTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        _ = try Subprocess.run(
            [Victim.c.path, directory.path("db"), "null-write"])
    }

    /// Libraries of these names that are none come before the system's: ld.so(8).
    private func environment(without names: [String]) throws -> [String: String] {
        let folder = directory.path("lib")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for name in names { try directory.write(Array("no library".utf8), to: "lib/" + name) }
        return ["LD_LIBRARY_PATH": folder]
    }

    private func show(_ environment: [String: String]) throws -> String {
        try dumpConvertOutput(
            "show", "latest", "--database", directory.path("db"), environment: environment)
    }

    @Test("Without libdw functions are named, and the report says why there are no lines")
    func noDebugInformation() throws {
        let environment = try environment(without: ["libdw.so.1"])
        try dumpConvertOutput(
            "process", "--database", directory.path("db"), environment: environment)
        let text = try show(environment)
        #expect(text.contains(#/#0 +crash_null_write\+0x[0-9a-f]+ in CEpitaphVictim\+/#))
        #expect(text.contains(#/lines and inlined calls are not known: .*libdw\.so\.1/#))
        // With the library, what was missing then is shown now.
        #expect(try show([:]).contains(#/#0 +crash_null_write at .*crashes\.c:\d+/#))
    }

    @Test("Without libunwind, libdeflate and capstone a stack has the frames it has with them")
    func noOthers() throws {
        try dumpConvertOutput("process", "--database", directory.path("db"))
        let whole = try show([:])
        let without = try show(
            try environment(without: [
                "libunwind-x86_64.so.8", "libdeflate.so.0", "libcapstone.so.4",
            ]))
        #expect(!Self.frames(whole).isEmpty)
        #expect(Self.frames(without) == Self.frames(whole))
        #expect(whole.contains("Code around the fault:"))
        #expect(!without.contains("Code around the fault:"))
    }

    @Test("What was found out at filing is told when the program is gone: names and lines")
    func keptThroughProcess() throws {
        let program = directory.path("daemon")
        let database = directory.path("other")
        try FileManager.default.copyItem(
            atPath: Victim.c.path, toPath: program)
        _ = try Subprocess.run([program, database, "null-write"])
        try dumpConvertOutput("process", "--database", database)
        let before = try dumpConvert("show", "latest", "--database", database).standardOutput
        try FileManager.default.removeItem(atPath: program)
        let after = try dumpConvert("show", "latest", "--database", database).standardOutput
        #expect(Self.frames(before).contains { $0.contains("crash_null_write at ") })
        #expect(
            Self.frames(after).map { $0.replacing(" (named when filed)", with: "") }
                == Self.frames(before))
        let raw = try dumpConvert("show", "latest", "--raw", "--database", database)
        #expect(raw.standardOutput.contains(#/EpitaphKeptStacks +\d+ bytes/#))
    }

    private static func frames(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("  #") }
    }
}
