// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation

/// The stacks of the calls that freed and allocated a block, in all forms of a report.
@Suite struct HeapReportTests {
    static func useAfterFree() -> HeapSample {
        var sample = HeapSample()
        sample.add(HeapSample.block(64, .freed))
        sample.add("allocated", by: "fill")
        sample.add("freed", by: "release", line: 31)
        sample.snapshot.heap?.blocks[0].freed?.attributes = [
            Annotation(name: "request", value: "42", type: .integer),
            Annotation(name: "tenant", value: "acme"),
        ]
        sample.fail(at: HeapSample.slot.upperBound - 48)
        return sample
    }

    @Test("The text has the sentence, then the stacks of use, freeing and allocation")
    func text() throws {
        let text = Sample.text(of: Self.useAfterFree().explanation)
        let parts = [
            "sampled read 4 bytes, 16 into a 64-byte block that release freed",
            "read_entry at cache.c:57", "Crashing thread 4712",
            "Freed by thread 4713 \"sweeper\", 41 ms before:", "for request = 42, tenant = acme",
            "release", "Allocated by thread 4712 \"worker\", 3.2 s before:", "fill",
            "one allocation in 1,000 is sampled, 52,341 were, 0 errors were found",
        ]
        var rest = text[...]
        for part in parts {
            let found = try #require(rest.firstRange(of: part), "\(part)")
            rest = rest[found.upperBound...]
        }
    }

    @Test("On a small screen the sentence and the program's own frames come first")
    func firstScreen() throws {
        let form = TextForm(width: 80, hasColour: false)
        let lines = TextReport(
            Self.useAfterFree().explanation, threads: .crashing, form: form
        ).lines
        let screen = lines.prefix(23).joined(separator: "\n")
        let parts = [
            "Crashing thread 4712", "#0  read_entry", "Freed by thread 4713", "#2  release at",
            "Allocated by thread 4712", "#2  fill at",
        ]
        var rest = screen[...]
        for part in parts {
            let found = try #require(rest.firstRange(of: part), "\(part) in \(screen)")
            rest = rest[found.upperBound...]
        }
    }

    @Test("So does the page")
    func page() {
        let page = HTMLReport(Self.useAfterFree().explanation).text
        #expect(
            page.contains("Freed by thread 4713 &quot;sweeper&quot;, 41 ms before")
                || page.contains("Freed by thread 4713 \"sweeper\", 41 ms before"))
        #expect(page.contains("for request = 42, tenant = acme"))
        #expect(page.contains("release"))
    }

    @Test("Without sampling no form of a report speaks of it")
    func without() {
        var sample = Self.useAfterFree()
        sample.snapshot.heap = nil
        let explanation = sample.explanation
        let forms = [
            Sample.text(of: explanation), HTMLReport(explanation).text,
            JSONReport(explanation).text,
        ]
        for form in forms {
            #expect(!form.contains("Freed by") && !form.contains("one allocation in"))
            #expect(!form.contains("\"heap\""))
        }
    }

    @Test("JSON has the numbers, and the stacks in the form of the threads'")
    func json() throws {
        let text = JSONReport(Self.useAfterFree().explanation).text
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let heap = try #require(report["heap"] as? [String: Any])
        #expect(heap["rate"] as? Int == 1000)
        #expect(heap["error"] as? String == "fault")
        let block = try #require((heap["blocks"] as? [[String: Any]])?.first)
        #expect(block["size"] as? Int == 64)
        #expect(block["state"] as? String == "freed")
        let freed = try #require(block["freed"] as? [String: Any])
        #expect(freed["secondsBefore"] as? Double == 0.041)
        #expect(freed["threadId"] as? Int == 4713)
        #expect((freed["attributes"] as? [[String: Any]])?.count == 2)
        let stack = try #require(freed["stack"] as? [String: Any])
        let functions = (stack["frames"] as? [[String: Any]])?.map { $0["function"] as? String }
        #expect(functions == ["epitaph_heap_take", "free", "release"])
        #expect((report["diagnosis"] as? [String: Any])?["kind"] as? String == "use-after-free")
    }

    @Test("The words for servers are those of the kind, the block and the two calls")
    func words() {
        var sample = Self.useAfterFree()
        var words = HeapWords(error: "use-after-free")
        words.block = "64 bytes at 0x7f5000002fc0"
        words.allocatedBy = "fill at cache.c:12"
        words.freedBy = "release at cache.c:31"
        #expect(sample.explanation.heapWords == words)
        sample.fail(at: 0x10)
        #expect(sample.explanation.heapWords == nil)
    }
}

/// A moment's stack is unwound from its own bytes, not from what the thread's stack holds since.
@Suite(.serialized) struct HeapMomentStackTests {
    /// A crash whose thread's stack is that of a moment; the stack itself was used since.
    private static let crash = Result {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        return (directory, crash.snapshot)
    }

    private func snapshot(byteCount: Int = .max) throws -> (ProcessSnapshot, ReportStack) {
        let (_, crash) = try Self.crash.get()
        let thread = try #require(crash.crashingThread)
        let registers = try #require(crash.exception?.registers ?? thread.registers)
        let before = try #require(
            CrashExplanation(crash, images: InstalledImages()).crashingThread?.stack)
        var memory = crash.threads.compactMap(\.stack) + crash.memory
        memory.sort { $0.address < $1.address }
        let region = try #require(
            memory.first { $0.addressRange.contains(registers.stackPointer) })
        let start = Int(registers.stackPointer - region.address)
        var moment = HeapMoment()
        moment.threadID = thread.id
        moment.registers = registers
        moment.stack = MemoryRegion(
            address: registers.stackPointer,
            bytes: region.bytes.slice(from: start, length: byteCount))
        var block = SampledBlock(address: 0x1000, size: 64)
        block.allocated = moment
        var snapshot = crash
        snapshot.heap = HeapSampling()
        snapshot.heap?.blocks = [block]
        let used = MemoryRegion(
            address: region.address,
            bytes: ByteSlice([UInt8](repeating: 0x5a, count: region.bytes.count)))
        snapshot.threads = snapshot.threads.map { thread in
            var thread = thread
            if thread.stack != nil { thread.stack = used }
            return thread
        }
        snapshot.memory = snapshot.memory.map { $0.address == region.address ? used : $0 }
        return (snapshot, before)
    }

    private func stack(_ snapshot: ProcessSnapshot) -> ReportStack? {
        CrashExplanation(snapshot, images: InstalledImages()).heap?.moments.first?.stack
    }

    @Test("Its frames are those of that time")
    func frames() throws {
        let (snapshot, before) = try snapshot()
        let found = try #require(stack(snapshot))
        #expect(found.frames.map(\.function) == before.frames.map(\.function))
        #expect(found.frames.contains { $0.function == "recursion" })
        #expect(found.whyIncomplete == nil)
        #expect(found.isUnwound)
    }

    @Test("A stack that was kept in part says so, and is no damage of the report")
    func part() throws {
        let (snapshot, _) = try snapshot(byteCount: 160)
        let explanation = CrashExplanation(snapshot, images: InstalledImages())
        let found = try #require(explanation.heap?.moments.first?.stack)
        #expect(found.frames.first?.function == "touch")
        #expect(
            found.whyIncomplete
                == "the sampler keeps the innermost part of a stack, 160 bytes of this one")
        #expect(!explanation.completeness.failures.joined().contains("sampler"))
    }

    @Test("Filed, it has its names where the program is gone, and is unwound again from the report")
    func filed() throws {
        var (snapshot, before) = try snapshot()
        StackKeeper().keep(in: &snapshot)
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        let read = try MinidumpReader.read(ByteSlice(bytes.bytes)).snapshot
        let gone = CrashExplanation(read, images: NoFiles()).heap?.moments.first?.stack
        let frame = try #require(gone?.frames.first { $0.function == "recursion" })
        #expect(frame.isNameKept)
        #expect(stack(read)?.frames.map(\.function) == before.frames.map(\.function))
    }
}

private struct NoFiles: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(problem: .notFound(path: module.path))
    }
}
