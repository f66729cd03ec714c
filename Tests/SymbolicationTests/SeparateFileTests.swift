// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import LinuxSystem
import StackUnwinding
import Symbolication
import TestSupport
import Testing

struct SeparateFileTests {
    /// The functions, innermost first, of the first address in `outer` that has an inlined call.
    private func inlinedFunctions(_ program: String, symbolFile: String? = nil) throws -> [String?]
    {
        let file = try ProgramFile(program, symbolFile: symbolFile)
        let calls = try (0..<64).map { try file.calls(in: "outer", plus: $0) }
        return (calls.first { $0.count > 1 } ?? calls[0]).map(\.function)
    }

    @Test("Split DWARF is found where it was made, or beside the program", arguments: ["4", "5"])
    func splitUnits(version: String) throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            ProgramFile.inliningSource, as: "main.c",
            ["-O2", "-gdwarf-\(version)", "-gsplit-dwarf"],
            in: directory)
        #expect(try inlinedFunctions(program) == ["inner", "outer"])

        let elsewhere = try TemporaryDirectory()
        let moved = elsewhere.path("program")
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where file == "program" || file.hasSuffix(".dwo") {
            try FileManager.default.moveItem(
                atPath: directory.path(file), toPath: elsewhere.path(file))
        }
        #expect(try inlinedFunctions(moved) == ["inner", "outer"])

        // Without its other half the symbols name the function, and the line table its line.
        for file in try FileManager.default.contentsOfDirectory(atPath: elsewhere.path)
        where file.hasSuffix(".dwo") {
            try FileManager.default.removeItem(atPath: elsewhere.path(file))
        }
        let calls = try ProgramFile(moved).calls(in: "outer")
        #expect(calls.map(\.function) == ["outer"])
        #expect([3, 4].contains(calls[0].line))
    }

    @Test("A split unit of another build is not used")
    func foreignSplitUnit() throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            ProgramFile.inliningSource, as: "main.c", ["-O2", "-g", "-gsplit-dwarf"], in: directory)
        let kept = directory.path("kept")
        try ProgramFile.run(["cp", program, kept])
        let other = ProgramFile.inliningSource.replacing("inner", with: "wrong")
        _ = try ProgramFile.compile(
            other, as: "main.c", ["-O2", "-g", "-gsplit-dwarf"], in: directory)
        #expect(try inlinedFunctions(kept) == ["outer"])
    }

    @Test("What dwz moved into a file of its own is found by link, or goes unnamed")
    func alternateFile() throws {
        let directory = try TemporaryDirectory()
        var programs: [String] = []
        for name in ["one", "two"] {
            let program = try ProgramFile.compile(
                ProgramFile.inliningSource + "int \(name);\n", as: "main.c", ["-O2", "-gdwarf-4"],
                in: directory)
            programs.append(directory.path(name))
            try ProgramFile.run(["mv", program, directory.path(name)])
        }
        let common = directory.path("common.debug")
        try ProgramFile.run(["dwz", "-m", common, "-M", "common.debug"] + programs)
        try #require(FileManager.default.fileExists(atPath: common))
        #expect(try inlinedFunctions(programs[0]) == ["inner", "outer"])

        try FileManager.default.removeItem(atPath: common)
        #expect(try inlinedFunctions(programs[1]) == [nil, "outer"])
    }

    @Test("The debug information of a file that came in a report is not read")
    func untrustedImage() throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            ProgramFile.inliningSource, as: "main.c", ["-O2", "-g"], in: directory)
        let bytes = try FileBytes.contents(of: program)
        let trusted = try ProgramFile(program, images: OneImage(bytes, path: program))
        #expect(try trusted.calls(in: "outer")[0].namedBy == .debugInformation)
        let images = try OneImage(bytes, path: program, isInstalled: false)
        let untrusted = try ProgramFile(program, images: images)
        #expect(try untrusted.calls(in: "outer")[0].namedBy == .symbolTable)
        #expect(try untrusted.calls(in: "outer")[0].line == nil)
    }
}
