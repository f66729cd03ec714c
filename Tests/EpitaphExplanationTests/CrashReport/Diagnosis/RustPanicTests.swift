// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// What a Rust program said before it ended, found on its stack.
@Suite struct RustPanicTests {
    private static let stack: UInt64 = 0x7ffc_0000_1000
    private static let heap: UInt64 = 0x0100_0000

    /// Each frame has 256 bytes.
    private func frames() -> [ReportFrame] {
        let names = [
            "abort", "std::panicking::rust_panic_with_hook",
            "std::panicking::begin_panic_handler::{closure#0}", "core::panicking::panic_fmt",
            "ledger::load", "main",
        ]
        return names.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            frame.stackPointer = Self.stack + UInt64(index) * 256
            return frame
        }
    }

    private func bytes(_ words: [UInt64], _ count: Int) -> [UInt8] {
        var bytes = ByteBuilder()
        for word in words { bytes.append(word) }
        bytes.appendZeros(count - words.count * 8)
        return bytes.bytes
    }

    private func diagnose(
        text: [UInt64], location: [UInt64], frames: [ReportFrame]? = nil
    ) -> Diagnosis? {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        sample.add(
            bytes([], 256) + bytes(location, 256) + bytes(text, 256) + bytes([], 768),
            at: Self.stack)
        var data = ByteBuilder()
        data.append("ledger 7 is gone\nforever........")
        data.append("src/ledger.rs...")
        let line: UInt64 = 41
        let column: UInt64 = 9
        for line in [line, 7] {
            for word in [Self.heap + 32, 13, column << 32 | line] { data.append(word) }
        }
        sample.add(data.bytes, at: Self.heap)
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames ?? self.frames())
        ).diagnosis
    }

    @Test(
        "A panic is named with its text and its place, formatted or a constant",
        arguments: [[1, 2, 64, heap, 16], [0, heap, 16]] as [[UInt64]])
    func panic(words: [UInt64]) throws {
        let diagnosis = try #require(diagnose(text: words, location: [3, Self.heap + 48]))
        #expect(diagnosis.headline == "panicked (Rust): ledger 7 is gone")
        #expect(
            diagnosis.findings.first?.statement
                == "The panic is at src/ledger.rs:41:9, in ledger::load.")
    }

    @Test("Of several places it is the one that the stack has, and in that function")
    func severalPlaces() {
        let words = [Self.heap + 72, Self.heap + 48]
        var frames = frames()
        #expect(
            diagnose(text: [0, Self.heap, 16], location: words)?.findings.first?.statement
                == "The panic is in ledger::load.")
        frames[4].source = .init(file: "/build/core/option.rs", line: 1016)
        frames[5].source = .init(file: "/build/src/ledger.rs", line: 41)
        #expect(
            diagnose(text: [0, Self.heap, 16], location: words, frames: frames)?.findings.first?
                .statement == "The panic is at src/ledger.rs:41:9, in main (ledger.rs:41).")
        #expect(
            diagnose(text: [0, Self.heap, 16], location: [words[0]], frames: frames)?.findings
                .first?.statement == "The panic is at src/ledger.rs:7:9.")
    }

    @Test("Words that are no text and no place are not told")
    func others() {
        for (text, location) in [
            ([64, Self.heap, 65], [8]), ([9, 0x10, 4], [Self.heap]),
        ] as [([UInt64], [UInt64])] {
            let diagnosis = diagnose(text: text, location: location)
            #expect(diagnosis?.headline == "panicked (Rust)")
            #expect(diagnosis?.findings.first?.statement.contains(".rs") != true)
        }
    }
}
