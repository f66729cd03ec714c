// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import EpitaphUnwinding
import Testing

struct AgreementWithGDBTests {
    private static let builds = [
        ["-O0", "-g"], ["-O2", "-g", "-fomit-frame-pointer"],
        ["-O2", "-fno-omit-frame-pointer", "-static"],
    ]

    @Test(
        "Frames and function names of a C crash are gdb's",
        arguments: ["recursion", "abort", "qsort", "signal", "call"], builds)
    func framesAreThoseOfGDB(crash: String, build: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(build, in: directory)
        let debugged = try DebuggedProgram(running: [program, crash], in: directory)

        let images = InstalledImages()
        let unwinder = StackUnwinder(snapshot: debugged.snapshot, images: images)
        let backtrace = try #require(unwinder.unwindException())
        let symbolicator = Symbolicator(snapshot: debugged.snapshot, images: images)

        #expect(backtrace.end == .reachedEnd)
        #expect(
            backtrace.frames.map(\.instructionPointer) == debugged.frames.map(\.instructionPointer))
        for (frame, expected) in zip(backtrace.frames, debugged.frames) {
            let name = symbolicator.symbolicate(frame).last?.function ?? ""
            #expect(plain(name) == plain(expected.function))
        }
    }

    /// glibc's functions have several names at one address: `__GI_raise` is `raise` for the C
    /// library's own use. gdb leaves out the number the compiler gave a part of a function.
    private func plain(_ name: String) -> String {
        var name = name.replacing(".part.0", with: ".part")
        if name.hasPrefix("__GI_") { name.removeFirst(5) }
        if name.hasSuffix("_impl") { name.removeLast(5) }
        return name
    }
}
