// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@Suite("The awaiting callers of a Swift task that crashed")
struct AsyncCallerTests {
    @Test("They are those of the source, each at the line of its await", arguments: [false, true])
    func shapes(isReleased: Bool) throws {
        let program = try AsyncProgram.victim(isReleased ? "-O" : "-Onone")
        for shape in AsyncShape.all {
            let snapshot = try program.crash(shape.way)
            let explanation = CrashExplanation(installed: snapshot)
            let stack = try #require(explanation.crashingThread?.stack)
            let functions = isReleased ? shape.released : shape.functions
            #expect(stack.task == functions + shape.start, "\(shape.way)")
            #expect(stack.whyAsyncCallersIncomplete == nil, "\(shape.way)")
            #expect(stack.whyIncomplete == nil, "\(shape.way)")
            #expect(!stack.frames.contains { $0.function?.contains(" partial function ") == true })
            try expectAwaits(stack.callers, shape.way, isReleased: isReleased)
            #expect(try callers(throughMinidump: snapshot) == callers(snapshot), "\(shape.way)")
        }
    }

    @Test("Those of a task on another thread are known, too", arguments: ["-Onone", "-O"])
    func otherThread(optimization: String) throws {
        let explanation = try AsyncProgram.victim(optimization).explain("task-elsewhere")
        let tasks = explanation.otherThreads.compactMap { $0.stack?.task }.filter { !$0.isEmpty }
        #expect(
            tasks == [["taskInner", "taskMiddle", "taskOuter", "closure in crashWhileTaskWaits"]])
    }

    @Test("An async main is the last of them", arguments: ["-Onone", "-O"])
    func asyncMain(optimization: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Array(Self.asyncMain.utf8), to: "main.swift")
        let program = try AsyncProgram(
            [optimization, "-parse-as-library"], sources: [directory.path("main.swift")])
        let stack = try #require(try program.explain("none").crashingThread?.stack)
        #expect(stack.task.first == "serve")
        #expect(stack.task.last == "async_Main")
        #expect(stack.whyAsyncCallersIncomplete == nil)
        // A release build makes it a part of its caller, which has no line of its own.
        #expect(stack.task.contains("Program.main") == (optimization == "-Onone"))
        let main = try #require(
            stack.frames.first { $0.isAsyncCaller && $0.ownName == "Program.main" })
        #expect(main.isInlined == (optimization == "-O"))
        let lines = Self.asyncMain.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(main.source?.line)
        #expect(lines[line - 1].contains("await serve(2)"))
    }

    @Test("A static standard library does not hide them")
    func staticLibrary() throws {
        let program = try AsyncProgram(["-O", "-static-stdlib"])
        for shape in AsyncShape.all where ["async-calls", "async-return"].contains(shape.way) {
            let stack = try #require(try program.explain(shape.way).crashingThread?.stack)
            #expect(stack.task == shape.released + shape.start)
            #expect(stack.whyAsyncCallersIncomplete == nil)
        }
    }

    @Test("The text marks them, and says when they are not all")
    func text() {
        var running = ReportFrame(index: 0, address: 0x40_1234)
        running.function = "leaf"
        var caller = ReportFrame(index: 1, address: 0x40_2345)
        caller.function = "branch"
        caller.isAsyncCaller = true
        caller.foundBy = .asyncContext
        let snapshot = Sample.crash()
        caller.place = ReportFrame.Place(caller.address, in: snapshot.modules)
        var stack = ReportStack(frames: [running, caller])
        var lines = TextReport(CrashExplanation(snapshot, stacks: [], crashStack: stack)).lines
        #expect(lines.contains("  #1  branch in sampled+0x2345 (awaits the frame above)"))
        #expect(!lines.contains { $0.contains("not all awaiting") })

        stack.whyAsyncCallersIncomplete = "the context leads back to itself"
        lines = TextReport(CrashExplanation(snapshot, stacks: [], crashStack: stack)).lines
        #expect(
            lines.contains(
                "  not all awaiting functions are known: the context leads back to itself"))
    }

    @Test("In a stripped program their places are known", arguments: ["-Onone", "-O"])
    func stripped(optimization: String) throws {
        let program = try AsyncProgram.victim(optimization)
        let stripped = try program.copy()
        let ways = ["async-calls", "async-trap", "async-group", "async-return", "async-throws"]
        let named = try ways.map { try places(program.explain($0)) }
        let strip = try Subprocess.run(["strip", stripped.path])
        try #require(strip.ending == .exited(0))
        for (way, named) in zip(ways, named) {
            let found = try places(stripped.explain(way))
            // Without names the forwarders that the compiler generated cannot be recognised.
            #expect(named.count > 1)
            #expect(found.filter(named.contains) == named, "\(way)")
            #expect(found.count <= named.count + 6, "\(way)")
        }
    }

    /// The text of each caller's line is an `await`. The optimiser gives the line of its function
    /// to one that calls through a protocol, and to one with a task group's body in it.
    private func expectAwaits(
        _ callers: [ReportFrame], _ way: String, isReleased: Bool
    ) throws {
        for caller in callers where caller.ownName != nil {
            guard let source = caller.source, let line = source.line else { continue }
            let file = Victim.swift.folder + "/" + (source.file.split(separator: "/").last ?? "")
            let lines = try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let text = line <= lines.count ? String(lines[line - 1]) : "no such line"
            let isAwait = text.contains("await") || text.contains("async let")
            let isOfFunction =
                isReleased && ["func order(_", "func handle(_"].contains { text.contains($0) }
            #expect(isAwait || isOfFunction, "\(way): \(text)")
        }
    }

    private func callers(_ snapshot: ProcessSnapshot) -> [StackFrame] {
        let unwinder = StackUnwinder(snapshot: snapshot, images: InstalledImages())
        return (unwinder.unwindException()?.frames ?? []).filter { $0.foundBy == .asyncContext }
    }

    private func callers(throughMinidump snapshot: ProcessSnapshot) throws -> [StackFrame] {
        var sink = ByteBuilder()
        let writer = MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil)
        writer.write(to: &sink)
        return callers(try MinidumpReader.read(ByteSlice(sink.bytes)).snapshot)
    }

    private func places(_ explanation: CrashExplanation) -> [UInt64] {
        explanation.crashingThread?.stack?.callers.compactMap { $0.place?.offset } ?? []
    }

    private static let asyncMain = """
        import CEpitaph
        import Glibc
        func startEpitaph() {
            var options = epitaph_options()
            options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
            let status = CommandLine.arguments[1].withCString { path in
                "org.example.main".withCString { name in
                    options.database_path = path
                    options.bundle_id = name
                    return epitaph_start(&options, nil)
                }
            }
            guard status == EPITAPH_OK else { exit(70) }
        }
        @inline(never) func serve(_ count: Int) async -> Int {
            await Task.yield()
            if count > 0 { fatalError("in main") }
            return count
        }
        @main struct Program {
            static func main() async {
                startEpitaph()
                print(await serve(2))
            }
        }
        """
}
