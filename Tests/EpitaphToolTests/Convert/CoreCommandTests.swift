// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// gdb makes the cores: where the kernel puts its own depends on the machine. Scripts/compare-stacks
/// has those.
@Suite("dump-convert and core files")
struct CoreCommandTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func crash(_ way: String, _ options: [String] = ["-g", "-O1"]) throws -> DebuggedProgram
    {
        let program = try CrashingProgram.compile(options, in: directory)
        return try DebuggedProgram(running: [program, way], in: directory)
    }

    /// The functions of the crashing thread as `show --json` has them, without inlined calls.
    private func shownFrames(_ path: String) throws -> [UInt64] {
        let result = try dumpConvert("show", "--json", path)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        let report = try jsonObject(result.standardOutput)
        let threads = try #require(report["threads"] as? [[String: Any]])
        let crashing = try #require(threads.first { $0["isCrashing"] as? Bool == true })
        let stack = try #require(crashing["stack"] as? [String: Any])
        let frames = try #require(stack["frames"] as? [[String: Any]])
        return frames.filter { $0["isInlined"] as? Bool != true }.compactMap { frame in
            (frame["address"] as? String)
                .flatMap { UInt64($0.dropFirst(2), radix: 16) }
        }
    }

    private func gdbFrames(_ program: String, _ core: String) throws -> [UInt64] {
        let script = """
            import gdb
            frame = gdb.newest_frame()
            while frame is not None:
                if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                    print("FRAME %x" % frame.pc())
                frame = frame.older()
            """
        try directory.write(Array(script.utf8), to: "pcs.py")
        let gdb = try Subprocess.run([
            "gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off",
            "-ex", "set backtrace past-main on", "-ex", "source \(directory.path("pcs.py"))",
            program, core,
        ])
        return gdb.standardOutput.split(separator: "\n").compactMap { line in
            line.hasPrefix("FRAME ") ? UInt64(line.dropFirst(6), radix: 16) : nil
        }
    }

    @Test(
        "The frames of a core are gdb's, and so are those of the core of its minidump",
        arguments: ["recursion", "abort", "qsort", "signal"])
    func frames(way: String) throws {
        let program = try crash(way)
        let core = directory.path("core")
        let theirs = program.frames.map(\.instructionPointer)
        #expect(try shownFrames(core) == theirs)

        let minidump = directory.path("crash.dmp")
        #expect(try dumpConvert("convert", core, "-o", minidump).ending == .exited(0))
        #expect(try shownFrames(minidump) == theirs)

        let back = directory.path("back.core")
        try dumpConvertOutput("convert", "--core", minidump, "-o", back)
        #expect(try gdbFrames(directory.path("crash"), back) == theirs)
    }

    @Test("gdb knows the program of a report's core by its build, however long its name is")
    func longName() throws {
        let program = try CrashingProgram.compile(["-g", "-O1"], in: directory)
        let long = directory.path("a-name-of-more-than-15-characters")
        try FileManager.default.moveItem(atPath: program, toPath: long)
        _ = try DebuggedProgram(running: [long, "recursion"], in: directory)
        let (minidump, back) = (directory.path("crash.dmp"), directory.path("back.core"))
        try dumpConvertOutput("convert", directory.path("core"), "-o", minidump)
        try dumpConvertOutput("convert", "--core", minidump, "-o", back)

        let gdb = try Subprocess.run([
            "gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", long, back,
        ])
        #expect(gdb.standardOutput.contains("Program terminated"), "\(gdb.standardOutput)")
        #expect(!gdb.standardError.contains("may not match"), "\(gdb.standardError)")
    }

    @Test(
        "eu-stack finds the frames of a report's core, of stacks that begin anywhere",
        .enabled(if: Toolchain.executable("eu-stack") != nil, "eu-stack is missing"),
        arguments: ["recursion", "abort", "qsort"])
    func elfutils(way: String) throws {
        let theirs = try crash(way).frames.map(\.instructionPointer)
        let (minidump, back) = (directory.path("crash.dmp"), directory.path("back.core"))
        try dumpConvertOutput("convert", directory.path("core"), "-o", minidump)
        try dumpConvertOutput("convert", "--core", minidump, "-o", back)

        let stack = try Subprocess.run(["eu-stack", "--core", back, "-e", directory.path("crash")])
        let found = stack.standardOutput.split(separator: "\n").compactMap { line -> UInt64? in
            let fields = line.split(separator: " ")
            guard fields.first?.hasPrefix("#") == true, fields.count > 1 else { return nil }
            return UInt64(fields[1].dropFirst(2), radix: 16)
        }
        #expect(found == theirs, "\(stack.standardError)")
    }

    @Test(
        "The program's entry is in a segment that begins where a mapping of the program does",
        .enabled(if: Toolchain.executable("eu-readelf") != nil, "eu-readelf is missing"))
    func entry() throws {
        let database = directory.path("db")
        _ = try Victim.c.run([database, "null-write", "0"])
        try dumpConvertOutput("process", "--database", database)
        let back = directory.path("back.core")
        try dumpConvertOutput("convert", "--core", "--database", database, "latest", "-o", back)

        // By this pwntools finds the program's file.
        let notes = try Subprocess.run(["eu-readelf", "--notes", back]).standardOutput
        let entry = try #require(notes.firstMatch(of: #/ENTRY: 0x([0-9a-f]+)/#)?.1)
        let address = try #require(UInt64(entry, radix: 16))
        let segments = try Subprocess.run(["readelf", "-lW", back]).standardOutput
            .matches(of: #/LOAD +0x\w+ 0x(\w+) 0x\w+ 0x\w+ 0x(\w+)/#)
        let start = try #require(
            segments.compactMap { segment -> UInt64? in
                guard let start = UInt64(segment.1, radix: 16),
                    let size = UInt64(segment.2, radix: 16), start <= address,
                    address - start < size
                else { return nil }
                return start
            }.first)
        let row = try #require(
            notes.split(separator: "\n").first { $0.contains(" \(String(start, radix: 16))-") })
        #expect(row.hasSuffix(Victim.c.path), "\(row)")
    }

    @Test("A compressed core is a core", arguments: ["zstd", "lz4", "xz"])
    func compressed(tool: String) throws {
        let program = try crash("recursion")
        let packed = directory.path("packed")
        try runTool(
            ["sh", "-c", "\(tool) -1 -c <\(directory.path("core")) >\(packed)"])
        #expect(try shownFrames(packed) == program.frames.map(\.instructionPointer))
    }

    @Test("debug gives the debugger a core and the program, and leaves nothing")
    func debug() throws {
        _ = try crash("recursion")
        let minidump = directory.path("crash.dmp")
        try #require(
            try dumpConvert("convert", directory.path("core"), "-o", minidump).ending == .exited(0))
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let result = try dumpConvert(
            "debug", "--debugger", "gdb", minidump, "-nx", "-batch", "-ex",
            "set debuginfod enabled off", "-ex", "backtrace")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput.contains("touch (value="), "\(result.standardOutput)")
        #expect(result.standardOutput.contains("in main ("))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == before.sorted())
    }

    @Test("debug says that the program was replaced and does not show it to the debugger")
    func replaced() throws {
        _ = try crash("recursion")
        let minidump = directory.path("crash.dmp")
        try #require(
            try dumpConvert("convert", directory.path("core"), "-o", minidump).ending == .exited(0))
        _ = try CrashingProgram.compile(["-O2"], in: directory)
        let result = try dumpConvert(
            "debug", "--debugger", "gdb", minidump, "-nx", "-batch", "-ex",
            "set debuginfod enabled off", "-ex", "backtrace")
        #expect(
            result.standardError.contains("crash is not shown to the debugger: "),
            "\(result.standardError)")
        #expect(!result.standardOutput.contains("touch (value="), "\(result.standardOutput)")
    }

    @Test("debug says where a debugger's stack ends and that of the report goes on")
    func gap() throws {
        var snapshot = Sample.snapshot()
        var kept = KeptStacks()
        kept.frames = [0x40_1234, 0x40_2001].map {
            KeptStacks.Frame(instructionPointer: $0, lookupAddress: $0, foundBy: "unwindTable")
        }
        kept.frames[1].omission = .stackBytes(7_300_832)
        kept.steps = (0..<2).map { KeptStacks.Step(frame: $0, distance: 16) }
        kept.stacks = [
            KeptStacks.Stack(
                threadID: 4711, isOfCrash: true, stackPointer: 0, firstStep: 0, stepCount: 2)
        ]
        snapshot.keptStacks = kept
        let minidump = try directory.write(Sample.minidump(snapshot), to: "gap.dmp")
        let result = try dumpConvert("debug", "--debugger", "gdb", minidump, "-nx", "-batch")
        #expect(
            result.standardError.contains(
                "a debugger's stack of thread 4711 ends where 7300832 bytes of it are not in the "
                    + "report; dump-convert show has the frames behind them\n"),
            "\(result.standardError)")
    }

    @Test("A core of another processor is refused with a sentence")
    func otherProcessor() throws {
        _ = try crash("recursion")
        var bytes = try FileBytes.contents(of: directory.path("core")).array
        bytes[18] = 243
        let path = try directory.write(bytes, to: "other")
        let result = try dumpConvert("show", path)
        #expect(result.ending == .exited(1))
        #expect(
            result.standardError
                == "dump-convert: \(path) cannot be read: this core file is of processor number "
                + "243, which is not supported\n")
    }
}
