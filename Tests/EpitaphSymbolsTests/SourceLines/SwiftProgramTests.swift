// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

struct SwiftProgramTests {
    private static let source = """
        struct Shelf {
            var books: [Int]
            @inline(never) func book(at index: Int) -> Int { books[index] }
        }
        @inline(never) func browse(_ shelf: Shelf, _ index: Int) -> Int {
            shelf.book(at: index) + 1
        }
        print(browse(Shelf(books: [1, 2]), Int(CommandLine.argc) + 7))

        """

    @Test("A Swift program's frames have demangled names and lines", arguments: ["-O", "-Onone"])
    func swiftFrames(optimization: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(Self.source.utf8), to: "main.swift")
        let program = directory.path("shelf")
        let compiler = try Subprocess.run([
            "swiftc", optimization, "-g", "-Xlinker", "--build-id", "-o", program,
            directory.path("main.swift"),
        ])
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
        let debugged = try DebuggedProgram(running: [program], in: directory)
        let images = InstalledImages()
        let backtrace = try #require(
            StackUnwinder(snapshot: debugged.snapshot, images: images).unwindException())
        let symbolicator = Symbolicator(snapshot: debugged.snapshot, images: images)
        let frames = backtrace.frames.flatMap { symbolicator.symbolicate($0) }

        #expect(backtrace.end == .reachedEnd)
        #expect(
            backtrace.frames.map(\.instructionPointer) == debugged.frames.map(\.instructionPointer))
        let book = try #require(
            frames.first { $0.function == "shelf.Shelf.book(at: Swift.Int) -> Swift.Int" })
        #expect(book.line == 3)
        #expect(book.rawName?.hasPrefix("$s5shelf") == true)
        let browse = try #require(frames.first { $0.function?.contains("browse") == true })
        #expect(browse.line == 6)
        if optimization == "-O" {
            // The standard library's code is inlined; the reason is not a call of its own.
            #expect(frames[0].runtimeFailure == "Index out of range")
            #expect(frames[0].isInlined)
            #expect(frames[0].function?.contains("checkSubscript") == true)
        }
        #expect(frames.dropFirst().allSatisfy { $0.runtimeFailure == nil })
        #expect(!frames.contains { $0.function?.contains("runtime failure") == true })
    }
}
