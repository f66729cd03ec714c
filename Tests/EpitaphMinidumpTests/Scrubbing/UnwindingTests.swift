// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Sanitised stacks give the same frames as before.
@Suite("Unwinding sanitised stacks")
struct UnwindingTests {
    struct Crash: Sendable, CustomTestStringConvertible {
        var victim = Victim.c
        var arguments: [String]
        /// A signal interrupted it on a stack that belongs to no thread: other memory, which is
        /// removed with the rest.
        var needsOtherMemory = false
        var testDescription: String { "\(victim) \(arguments.joined(separator: " "))" }
    }

    static let crashes = [
        Crash(arguments: ["null-write", "3", "deep", "settled"]), Crash(arguments: ["abort"]),
        Crash(arguments: ["jump-to-null"]), Crash(arguments: ["divide-by-zero", "2", "thread"]),
        Crash(arguments: ["throw"]), Crash(arguments: ["in-malloc"]),
        Crash(arguments: ["handler-on-small-stack"], needsOtherMemory: true),
        Crash(arguments: ["coroutine"]),
        Crash(arguments: ["foreign-stack"]), Crash(arguments: ["pc-in-data"]),
        Crash(victim: .swift, arguments: ["fatal-error"]),
    ]

    /// The minidump of a program's death.
    private func plainMinidump(of crash: Crash) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        let run = try crash.victim.run([database] + crash.arguments)
        let folder = database + "/pending-dumps"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let name = try #require(
            names.first { !$0.hasSuffix(".locked") }, "no dump: \(run.ending) \(run.standardError)")
        let bytes = try #require(FileManager.default.contents(atPath: folder + "/" + name))
        return EpitaphMinidumpTests.plainMinidump(
            of: try IntermediateDump(ByteSlice([UInt8](bytes))).snapshot)
    }

    /// The frames of each thread that are on its stack: awaiting callers of Swift are in the heap.
    private func frames(_ bytes: [UInt8]) throws -> [[StackFrame]] {
        let snapshot = try MinidumpReader.read(ByteSlice(bytes)).snapshot
        let unwinder = StackUnwinder(snapshot: snapshot, images: InstalledImages())
        let stacks = snapshot.threads.map { unwinder.unwind($0) } + [unwinder.unwindException()]
        return stacks.map { ($0?.frames ?? []).filter { $0.foundBy != .asyncContext } }
    }

    private func compare(
        _ source: [UInt8], leastFrames: Int, needsOtherMemory: Bool = false
    ) throws {
        let before = try frames(source)
        try #require(before.map(\.count).max() ?? 0 >= leastFrames)
        for memory in [ScrubbingRules.Memory.all, .stacks] {
            let scrubbed = try Scrubbed(source) {
                $0.sanitizesStacks = true
                $0.memory = memory
            }
            #expect(scrubbed.summary.replacedWordCount > 0)
            let after = try frames(scrubbed.bytes)
            if needsOtherMemory, memory == .stacks {
                // Where the handler's stack ends nothing leads any further.
                for (frames, all) in zip(after, before) {
                    let own = all.prefix { !$0.isSignalFrame }
                    #expect(frames.starts(with: own))
                }
            } else {
                #expect(after == before, "with \(memory) memory")
            }
        }
        // The map of the process may go, too: its ranges stay.
        let mapless = try Scrubbed(source) {
            $0.sanitizesStacks = true
            $0.removedParts = [.maps]
        }
        #expect(try frames(mapless.bytes).map(\.count) == before.map(\.count))
    }

    @Test("gives the frames of the whole ones for real crashes", arguments: crashes)
    func real(crash: Crash) throws {
        try compare(
            try plainMinidump(of: crash), leastFrames: 3, needsOtherMemory: crash.needsOtherMemory)
    }

    @Test(
        "does so for captured crashes of either processor",
        arguments: Architecture.captured.map { "null-write-\($0.name)" })
    func captured(name: String) throws {
        let path = Products.fixture("intermediate-dumps/\(name).dump")
        let bytes = try #require(FileManager.default.contents(atPath: path))
        try compare(
            EpitaphMinidumpTests.plainMinidump(
                of: try IntermediateDump(ByteSlice([UInt8](bytes))).snapshot), leastFrames: 2)
    }

    @Test(
        "does so for crashes that others captured",
        .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)),
        arguments: ForeignMinidumps.names.filter { $0.hasPrefix("linux") })
    func foreign(name: String) throws {
        try compare(try ForeignMinidumps.bytes(name), leastFrames: 1)
    }

    @Test("Of a real crash, text on the stacks is gone")
    func text() throws {
        let crash = Crash(arguments: ["null-write", "3", "deep", "settled"])
        let source = try plainMinidump(of: crash)
        let scrubbed = try Scrubbed(source) { $0.sanitizesStacks = true }
        let before = try MinidumpReader.read(ByteSlice(source)).snapshot
        let after = try scrubbed.contents().snapshot
        for (thread, old) in zip(after.threads, before.threads) {
            #expect(thread.stack?.addressRange == old.stack?.addressRange)
            #expect(longestText(thread.stack?.bytes.array ?? []) < 8)
        }
        // Threads fill their stacks with letters.
        let longest = before.threads.map { longestText($0.stack?.bytes.array ?? []) }.max()
        #expect(longest ?? 0 >= 64)
    }

    /// Printable letters in a row.
    private func longestText(_ bytes: [UInt8]) -> Int {
        var (longest, count) = (0, 0)
        for byte in bytes {
            count = (0x20..<0x7f).contains(byte) ? count + 1 : 0
            longest = max(longest, count)
        }
        return longest
    }
}
