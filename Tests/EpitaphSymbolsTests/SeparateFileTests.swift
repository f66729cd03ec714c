// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
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

    @Test(
        "A store has the split units of a program in one file, which gdb finds if it can read it",
        arguments: [["clang", "5"], ["clang", "4"], ["gcc", "5"], ["gcc", "4"]])
    func collectedUnits(how: [String]) throws {
        let directory = try TemporaryDirectory()
        let elsewhere = try TemporaryDirectory()
        let options = ["-O1", "-gdwarf-\(how[1])", "-gsplit-dwarf", "-Wl,--build-id"]
        try directory.write(Array(ProgramFile.inliningSource.utf8), to: "main.c")
        try directory.write(Array("int other(int x) { return x + 1; }".utf8), to: "other.c")
        let program = directory.path("program")
        for name in ["main", "other"] {
            try ProgramFile.run(
                [how[0], "-c", "-o", directory.path(name + ".o"), directory.path(name + ".c")]
                    + options)
        }
        try ProgramFile.run(
            [how[0], "-o", program, directory.path("main.o"), directory.path("other.o")] + options)
        let store = elsewhere.path("store")
        let collect = [
            Products.executable("dump-convert"), "symbols", "collect", "--no-libraries", "-o",
            store, program,
        ]
        try ProgramFile.run(collect)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasSuffix(".dwo") {
            try FileManager.default.removeItem(atPath: directory.path(name))
        }
        let addresses = try ProgramFile.addresses(in: program)
        let buildID = try ELFImage(try FileBytes.contents(of: program)).buildID
        try ProgramFile.run(["strip", program])

        var module = ModuleSnapshot(path: program, addressRange: 0..<UInt64.max, kind: .executable)
        module.buildID = buildID
        let images = InstalledImages(symbolDirectories: [store])
        #expect(images.images(for: module).debug?.path.hasPrefix(store) == true)
        let file = try ProgramFile(program, images: images, addresses: addresses)
        let calls = try (0..<64).map { try file.calls(in: "outer", plus: $0) }
        #expect(calls.contains { $0.map(\.function) == ["inner", "outer"] })
        #expect(try file.calls(in: "other")[0].namedBy == .debugInformation)

        let gdb = try Subprocess.run([
            "gdb", "-nx", "-batch", "-ex", "set debug-file-directory \(store)", "-ex",
            "file \(program)", "-ex", "info scope other",
        ])
        // gdb 13 dies of a package of DWARF 5; it must not find ours, and may miss it.
        #expect([.exited(0), .exited(1)].contains(gdb.ending))
        #expect(gdb.standardOutput.contains("Symbol x is") == (how[1] == "4"))
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
