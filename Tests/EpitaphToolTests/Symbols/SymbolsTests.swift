// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The symbols dump-convert show finds")
struct SymbolsTests {
    let directory: TemporaryDirectory
    /// Where the program was when it crashed.
    let program: String
    /// The minidump of a real crash of it.
    let minidump: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        minidump = try directory.write(Sample.minidump(crash.snapshot), to: "crash.dmp")
    }

    @Test("come from the program itself when it is still there, unless they are not wanted")
    func installed() throws {
        let named = try show()
        #expect(named.contains(#/#0 +touch at /.*/crash\.c:\d+:\d+ in crash\+0x/#))
        let plain = try show("--no-symbols")
        #expect(plain.contains(#/#0 +\?\? in crash\+0x/#))
        #expect(!plain.contains("crash.c"))
    }

    @Test("come from the directory that is named when the program is gone")
    func directoryOfSymbols() throws {
        let symbols = directory.path("symbols")
        try FileManager.default.createDirectory(
            atPath: symbols, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: program, toPath: symbols + "/crash")
        let without = try show()
        #expect(without.contains("Files that could not be used to read this stack:\n"))
        #expect(without.contains("  \(program) was not found\n"))
        #expect(!without.contains("touch"))
        let with = try show("--symbols", directory.path, "--symbols", symbols)
        #expect(with.contains(#/#0 +touch at /.*/crash\.c:\d+:\d+ in crash\+0x/#))
        #expect(with.contains(" main at "))
    }

    @Test("are not taken from a program that replaced the one that crashed")
    func replaced() throws {
        let source = "int touch(void) { return 1; } int main(void) { return touch(); }\n"
        let other = try CrashingProgram.compile(["-O2", "-g"], in: directory, source: source)
        #expect(other == program)
        let text = try show()
        #expect(text.contains("  \(program) is not the file that was loaded: its build id is "))
        #expect(!text.contains("touch"))
    }

    private func show(_ options: String...) throws -> String {
        try dumpConvertOutput(["show"] + options + [minidump])
    }
}
