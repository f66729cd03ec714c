// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

struct SourceLineTests {
    /// All source frames of the crash of `arguments`, innermost first.
    private func sourceFrames(
        _ arguments: [String], in directory: TemporaryDirectory,
        images: InstalledImages = InstalledImages(), beforeSymbols: () throws -> Void = {}
    ) throws -> [SourceFrame] {
        let debugged = try DebuggedProgram(running: arguments, in: directory)
        try beforeSymbols()
        let unwinder = StackUnwinder(snapshot: debugged.snapshot, images: images)
        let symbolicator = Symbolicator(snapshot: debugged.snapshot, images: images)
        let backtrace = try #require(unwinder.unwindException())
        return backtrace.frames.flatMap { symbolicator.symbolicate($0) }
    }

    private func lineNumber(of text: String, in source: String) throws -> Int {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    @Test("Inlined calls are given with the lines they were made from", arguments: ["4", "5"])
    func inlinedCalls(dwarfVersion: String) throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-gdwarf-\(dwarfVersion)"], in: directory)
        let frames = try sourceFrames([program, "i"], in: directory)

        #expect(frames.prefix(4).map(\.function) == ["inner", "middle", "inlining", "main"])
        #expect(frames.prefix(4).map(\.isInlined) == [true, true, false, false])
        let source = CrashingProgram.source
        #expect(frames[0].line == (try lineNumber(of: "void inner(", in: source)))
        #expect(frames[1].line == (try lineNumber(of: "void middle(", in: source)))
        #expect(frames[2].line == (try lineNumber(of: "void inlining(", in: source)))
        #expect(frames[3].line == (try lineNumber(of: "if (choice == 'i')", in: source)))
        #expect(frames[0].file?.hasSuffix("/crash.c") == true)
        #expect(frames[0].namedBy == .debugInformation)
    }

    @Test("A stripped program's own functions go unnamed, those of libraries do not")
    func strippedProgram() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1", "-s"], in: directory)
        let frames = try sourceFrames([program, "recursion"], in: directory)

        #expect(frames[0].function == nil)
        #expect(frames[0].namedBy == nil)
        #expect(frames.contains { $0.function?.hasPrefix("__libc_start_main") == true })
    }

    @Test("A separate debug file names a stripped program: by link, or in a directory of one's own")
    func separateDebugFile() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1", "-g"], in: directory)
        let symbols = try TemporaryDirectory()
        for command in [
            ["objcopy", "--only-keep-debug", program, symbols.path("crash.debug")],
            ["objcopy", "--strip-all", program],
        ] {
            #expect(try Subprocess.run(command).ending == .exited(0))
        }
        let images = InstalledImages(symbolDirectories: [symbols.path])
        let named = try sourceFrames([program, "recursion"], in: directory, images: images)
        #expect(named.prefix(2).map(\.function) == ["touch", "recursion"])
        #expect(named[0].line != nil)

        try FileManager.default.moveItem(
            atPath: symbols.path("crash.debug"), toPath: directory.path("linked"))
        let link = "--add-gnu-debuglink=" + directory.path("linked")
        #expect(try Subprocess.run(["objcopy", link, program]).ending == .exited(0))
        let linked = try sourceFrames([program, "recursion"], in: directory)
        #expect(linked.prefix(2).map(\.function) == ["touch", "recursion"])
    }

    @Test("A program replaced since the crash gives no names, and the problem says so")
    func replacedProgram() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O1", "-g", "-fno-omit-frame-pointer"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "recursion"], in: directory)
        _ = try CrashingProgram.compile(["-O0"], in: directory)
        let images = InstalledImages()
        let backtrace = try #require(
            StackUnwinder(snapshot: debugged.snapshot, images: images).unwindException())
        let symbolicator = Symbolicator(snapshot: debugged.snapshot, images: images)

        let index = try #require(backtrace.frames[0].moduleIndex)
        guard case .buildIDDiffers(let path, _, _) = symbolicator.problem(ofModule: index) else {
            Issue.record("\(String(describing: symbolicator.problem(ofModule: index)))")
            return
        }
        #expect(path == program)
        #expect(symbolicator.symbolicate(backtrace.frames[0]).map(\.function) == [nil])
        // Frame pointers lead on; what they give is part of the truth.
        let known = debugged.frames.map(\.instructionPointer)
        let found = backtrace.frames.filter { $0.foundBy != .stackGuess }
            .map(\.instructionPointer)
        #expect(found.count >= 6)
        #expect(found.allSatisfy { known.contains($0) })
        #expect(backtrace.frames[1].foundBy == .framePointer)
    }
}
