// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphConversion

@Suite("What is found out about stacks when a dump becomes a report")
struct StackKeeperTests {
    /// A real process that crashed.
    private static let crash = Result {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        return (directory, crash.snapshot)
    }

    private func kept(_ snapshot: ProcessSnapshot, _ keeper: StackKeeper) -> ProcessSnapshot {
        var snapshot = snapshot
        keeper.keep(in: &snapshot)
        return snapshot
    }

    @Test("All of it, or functions without lines, or nothing")
    func efforts() throws {
        let (_, crash) = try Self.crash.get()
        let lines = try #require(kept(crash, StackKeeper()).keptStacks)
        let touch = try #require(lines.calls.first { $0.function == "touch" })
        #expect(touch.file?.hasSuffix("/crash.c") == true)
        #expect(touch.line != nil && touch.functionOffset != nil)
        #expect(lines.problems.isEmpty)
        let functions = try #require(
            kept(crash, StackKeeper(effort: .functions)).keptStacks)
        #expect(functions.calls.contains { $0.function == "touch" })
        #expect(functions.calls.allSatisfy { $0.file == nil })
        #expect(functions.frames == lines.frames)
        #expect(kept(crash, StackKeeper(effort: .nothing)).keptStacks == nil)
    }

    @Test("Without time the crashing thread's frames are kept, and what is missing is said")
    func noTime() throws {
        var (_, crash) = try Self.crash.get()
        for id in 1...3 {
            var thread = crash.threads[0]
            thread.id = UInt64(id)
            crash.threads.append(thread)
        }
        let kept = try #require(
            kept(crash, StackKeeper(time: TimeAllowance(.zero))).keptStacks)
        #expect(kept.stacks.map(\.isOfCrash) == [true])
        #expect(kept.calls.isEmpty)
        #expect(kept.problems.first == "there was no time to unwind 3 of 4 threads")
        #expect(kept.problems.last?.hasPrefix("there was no time to name ") == true)
    }

    @Test("Threads that wait in one place share what is kept: fifty cost little more than one")
    func sharing() throws {
        let (_, crash) = try Self.crash.get()
        var crowd = crash
        for id in 1...50 {
            var thread = crash.threads[0]
            thread.id = UInt64(1_000_000 + id)
            crowd.threads.append(thread)
        }
        let one = kept(crash, StackKeeper())
        let many = kept(crowd, StackKeeper())
        #expect(many.keptStacks?.stacks.count == 51)
        // Of the crash and of the threads, which were stopped at the same place.
        #expect(many.keptStacks?.steps.count == one.keptStacks?.steps.count)
        #expect(many.keptStacks?.frames == one.keptStacks?.frames)
        #expect(streamByteCount(many) - streamByteCount(one) == 50 * 40)
    }

    private func streamByteCount(_ snapshot: ProcessSnapshot) -> Int {
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        let streams = (try? MinidumpReader.read(ByteSlice(bytes.bytes)))?.streams ?? []
        return streams.first { $0.type == .keptStacks }?.byteCount ?? 0
    }

    @Test("Of a stack with very many frames the innermost and the outermost are kept")
    func longStack() throws {
        var table = KeptStackTable()
        let frames = (0..<10_000).map { (number: UInt64) -> StackFrame in
            let address: UInt64 = 0x1000 + number % 3
            let way = number == 0 ? StackFrame.FoundBy.registers : .unwindTable
            return StackFrame(
                instructionPointer: address, stackPointer: 0x7000_0000 + number * 48,
                lookupAddress: address, moduleIndex: nil, foundBy: way)
        }
        table.add(
            Backtrace(frames: frames, end: .reachedEnd),
            of: ProcessSnapshot(architecture: .x86_64), threadID: 1, isOfCrash: true)
        let kept = table.kept.frames(of: table.kept.stacks[0])
        #expect(kept.count == KeptStacks.frameLimit)
        #expect(kept.last?.stackPointer == frames.last?.stackPointer)
        #expect(kept[3_071].stackPointer == frames[3_071].stackPointer)
        #expect(kept[3_072].frame.omission == .stackBytes(283_440))
        #expect(kept.filter { $0.frame.omission != nil }.count == 1)
    }

    /// A dump whose threads are where this process is.
    private func sweepOnce(attempt: Int) throws -> ProcessSnapshot {
        let fixture = try Fixture()
        let dump = try Self.dump()
        let ending = attempt > 1 ? ".converting-\(attempt - 1)" : ""
        try fixture.put(dump, ending: ending)
        let summary = try fixture.sweep()
        let id = try #require(summary.reportIDs.first, "\(summary.outcomes)")
        let bytes = try fixture.database.contents(of: fixture.database.report(id))
        return try MinidumpReader.read(bytes).snapshot
    }

    /// CEpitaphVictim's, as its handler wrote it.
    private static func dump() throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        _ = try Subprocess.run(
            [Victim.c.path, directory.path("db"), "null-write"])
        let folder = directory.path("db/pending-dumps")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let name = try #require(names.first { !$0.hasSuffix(".locked") })
        return try FileBytes.contents(of: folder + "/" + name).array
    }

    @Test("Each attempt after one that ended without a result tries less, and files the report")
    func attempts() throws {
        let first = try #require(try sweepOnce(attempt: 1).keptStacks)
        #expect(first.calls.contains { $0.function == "crash_null_write" && $0.line != nil })
        let second = try #require(try sweepOnce(attempt: 2).keptStacks)
        #expect(second.calls.contains { $0.function == "crash_null_write" })
        #expect(second.calls.allSatisfy { $0.line == nil })
        #expect(try sweepOnce(attempt: 3).keptStacks == nil)
    }

    @Test("Where no file may be read the report is filed with the frames that can be found")
    func noFiles() throws {
        let (_, crash) = try Self.crash.get()
        let kept = kept(crash, StackKeeper(images: NoImages()))
        #expect(kept.keptStacks?.calls.isEmpty == true)
        #expect(kept.keptStacks?.frames.isEmpty == false)
        #expect(kept.modules.allSatisfy { $0.keptCallFrames == nil })
    }
}

private struct NoImages: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(problem: .unreadable(path: module.path, reason: "Permission denied"))
    }
}
