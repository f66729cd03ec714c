// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

@Suite("An explanation with unwound stacks")
struct UnwoundExplanationTests {
    @Test("The calls of a real crash are named with function, file and line")
    func realCrash() throws {
        let lines = try explained(["-O0", "-g"], crash: "recursion", naming: .symbols)
        let start = try #require(lines.firstIndex { $0.hasPrefix("Crashing thread ") })
        let stack = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(stack.count >= 4)
        let places = stack.map { $0.replacing(#/\+0x[0-9a-f]+$/#, with: "+OFFSET") }
        let touch = try line("*nowhere = value; zero++")
        let recursion = try line("zero += recursion(depth - 1)")
        #expect(places[0].wholeMatch(of: #/\ \ #0 +touch at /.*:\d+ in crash\+OFFSET/#) != nil)
        #expect(places[0].contains("/crash.c:\(touch):"))
        #expect(places[1].contains(#/\ \ #1 +recursion at /.*:\d+ in crash\+OFFSET/#))
        #expect(places[1].contains("/crash.c:\(recursion):"))
        // Five calls of one function: beside the two lines they call from, too few to fold.
        #expect(places[1...5].allSatisfy { $0.contains(" recursion at ") })
        #expect(stack.contains { $0.contains(#/ main at /.*/crash\.c:\d+:\d+ in crash\+/#) })
        #expect(!stack.contains { $0.contains("found by") })
        #expect(!stack.contains { $0.contains("the stack ends here") })
    }

    @Test("Inlined calls stand before the frame they are part of, under its number")
    func inlinedCalls() throws {
        let lines = try explained(["-O2", "-g"], crash: "inlining", naming: .symbols)
        let start = try #require(lines.firstIndex { $0.hasPrefix("Crashing thread ") })
        let stack = Array(lines[(start + 1)...].prefix(3))
        #expect(stack.allSatisfy { $0.hasPrefix("  #0 ") })
        #expect(stack[0].contains(#/ inner at /.*/crash\.c:\d+:\d+, inlined$/#))
        #expect(stack[1].contains(#/ middle at /.*/crash\.c:\d+:\d+, inlined$/#))
        #expect(stack[2].contains(#/ inlining at /.*/crash\.c:\d+:\d+ in crash\+0x/#))
    }

    @Test("Without symbols the same frames have modules and offsets")
    func modulesOnly() throws {
        let lines = try explained(["-O0", "-g"], crash: "recursion", naming: .modulesOnly)
        #expect(lines.contains { $0.contains(#/#0 +\?\? in crash\+0x[0-9a-f]+$/#) })
        #expect(!lines.contains { $0.contains("recursion") })
    }

    @Test("Frames found by frame pointers are marked, and the missing file is named")
    func framePointers() {
        var snapshot = Sample.crash()
        var registers = Sample.registers(rip: 0x40_1234)
        registers.rsp = 0x7ffc_0000_1000
        registers.rbp = 0x7ffc_0000_1010
        snapshot.exception?.registers = .x86_64(registers)
        var stack = ByteBuilder()
        stack.append(UInt64(0))
        stack.append(UInt64(0))
        // At rbp: the caller's rbp, which ends the chain, and the return address.
        stack.append(UInt64(0))
        stack.append(UInt64(0x40_2345))
        snapshot.threads[1].stack = MemoryRegion(
            address: 0x7ffc_0000_1000, bytes: ByteSlice(stack.bytes))
        var maps = ByteBuilder()
        maps.append("00400000-00408000 r-xp 00000000 fe:00 17 /usr/bin/sampled\n")
        snapshot.files.maps = ByteSlice(maps.bytes)

        let explanation = CrashExplanation(snapshot, images: NoImages())
        #expect(explanation.crashingThread?.stack?.frames.map(\.address) == [0x40_1234, 0x40_2345])
        let lines = TextReport(explanation).lines
        #expect(lines.contains("  #0  ?? in sampled+0x1234"))
        #expect(
            lines.contains(
                "  #1  ?? in sampled+0x2345 (found by a frame pointer: likely, not certain)"))
        #expect(lines.contains("Files that could not be used to read this stack:"))
        #expect(lines.contains("  /usr/bin/sampled was not found"))
    }

    @Test("Threads that are not asked for are not unwound")
    func chosenThreads() {
        var snapshot = Sample.crash()
        // The frame at rbp: the caller's rbp, which ends the chain, and the return address.
        var stack = ByteBuilder()
        for word in [0, 0, 0, 0x40_2345] as [UInt64] { stack.append(word) }
        for index in [0, 2] {
            var registers = Sample.registers(rip: 0x40_1234)
            registers.rbp = registers.rsp + 0x10
            snapshot.threads[index].registers = .x86_64(registers)
            snapshot.threads[index].stack = MemoryRegion(
                address: registers.rsp, bytes: ByteSlice(stack.bytes))
        }
        var maps = ByteBuilder()
        maps.append("00400000-00408000 r-xp 00000000 fe:00 17 /usr/bin/sampled\n")
        snapshot.files.maps = ByteSlice(maps.bytes)

        func depths(_ threads: ThreadSelection) -> [Int] {
            CrashExplanation(snapshot, images: NoImages(), threads: threads).otherThreads
                .map { $0.stack?.frames.count ?? 0 }
        }
        #expect(depths(.all) == [2, 2])
        #expect(depths(.crashing) == [1, 1])
        #expect(depths(.these([4713])) == [1, 2])
    }

    /// The line of the crashing program that holds `text`, counted from 1.
    private func line(_ text: String) throws -> Int {
        let lines = CrashingProgram.source.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    private func explained(
        _ build: [String], crash: String, naming: CrashExplanation.Naming
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(build, in: directory)
        let debugged = try DebuggedProgram(running: [program, crash], in: directory)
        let explanation = CrashExplanation(
            debugged.snapshot, images: InstalledImages(), naming: naming)
        return TextReport(explanation).lines
    }
}

private struct NoImages: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(problem: .notFound(path: module.path))
    }
}
