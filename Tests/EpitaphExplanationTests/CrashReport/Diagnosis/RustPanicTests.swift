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

    /// The panic that may not unwind, called by `ledger::close`, with words in the frame of that.
    private func unwindable(_ end: String, held: UInt64, isThrown: Bool = true) -> Diagnosis? {
        let names = [
            "abort", "std::panicking::panic_with_hook", "std::panicking::panic_handler",
            "core::panicking::panic_nounwind", "core::panicking::\(end)", "ledger::close", "main",
        ]
        var frames = names.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            frame.stackPointer = Self.stack + UInt64(index) * 256
            return frame
        }
        frames[3].source = .init(file: "/rustc/5980/library/core/src/panicking.rs", line: 225)
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        var data = ByteBuilder()
        data.append("row 7 is missing")
        data.append("it cannot unwind")
        // The box of a String; _Unwind_Exception, the canary, the box.
        for word: UInt64 in [64, Self.heap, 16] { data.append(word) }
        data.append(isThrown ? "MOZ\0RUST" : "GNUCC++\0")
        for word: UInt64 in [0, 0, 0, 0, Self.heap + 32] { data.append(word) }
        data.append("/rustc/5980/library/core/src/panicking.rs.......")
        for word: UInt64 in [Self.heap + 104, 41, 5 << 32 | 225] { data.append(word) }
        sample.add(data.bytes, at: Self.heap)
        sample.add(
            bytes([], 256) + bytes([Self.heap + 152], 256) + bytes([Self.heap + 16, 16], 256)
                + bytes([], 512) + bytes([3, held], 256) + bytes([], 256), at: Self.stack)
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
        ).diagnosis
    }

    @Test(
        "Of a panic that may not unwind the function that was to be unwound is told, not std's check",
        arguments: [
            (
                "panic_in_cleanup",
                "A destructor panicked while ledger::close was unwound for an earlier panic or "
                    + "exception."
            ),
            (
                "panic_cannot_unwind",
                "A panic or exception was about to leave ledger::close, which cannot be unwound."
            ),
        ])
    func unwindable(end: String, words: String) {
        let thrown = Self.heap + 56
        let known = unwindable(end, held: thrown)
        #expect(known?.headline == "panicked (Rust): it cannot unwind")
        #expect(
            known?.findings.map(\.statement) == [
                "The panic is in ledger::close.",
                "\(words) The earlier panic: row 7 is missing.",
            ])
        for unknown in [
            unwindable(end, held: 3), unwindable(end, held: thrown, isThrown: false),
        ] {
            #expect(
                unknown?.findings.last?.statement
                    == "\(words) The message of the earlier one is not in the dump.")
        }
    }

    /// std's frames up to `abort_internal`, without names; the sixth is panic_with_hook, and the ninth
    /// is the program's, whose code loads the place.
    private func nameless(
        locationFrame: Int = 5, code: [UInt8] = [0x48, 0x8d, 0x35]
    ) -> CrashExplanation {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        let start: UInt64 = 0x40_0000
        sample.snapshot.modules = [
            ModuleSnapshot(
                path: "/usr/bin/sampled", addressRange: start..<start + 0x8000, kind: .executable)
        ]
        let frames = (0..<12).map { index in
            var frame = ReportFrame(index: index, address: start + 0x1000 + UInt64(index) * 256)
            frame.place = .init(frame.address, in: sample.snapshot.modules)
            frame.function = index == 0 ? "abort" : nil
            frame.stackPointer = Self.stack + UInt64(index) * 256
            return frame
        }
        var stack = [UInt64](repeating: 0, count: 12 * 32)
        stack[locationFrame * 32 + 3] = Self.heap + 48
        stack[(locationFrame + 1) * 32 + 2] = Self.heap
        stack[(locationFrame + 1) * 32 + 3] = 16
        sample.add(bytes(stack, stack.count * 8), at: Self.stack)
        var data = ByteBuilder()
        data.append("ledger 7 is gone\nforever........")
        data.append("src/ledger.rs...")
        for word: UInt64 in [Self.heap + 32, 13, 9 << 32 | 41] { data.append(word) }
        sample.add(data.bytes, at: Self.heap)
        // lea rsi, [rip + distance]; call
        let place = frames[9].address - 12
        var loads = ByteBuilder()
        for byte in [UInt8](repeating: 0x90, count: 52) + code { loads.append(byte) }
        loads.append(UInt32(truncatingIfNeeded: Self.heap + 48 &- (place + 7)))
        for byte: UInt8 in [0xe8, 0, 0, 0, 0] { loads.append(byte) }
        sample.add(loads.bytes, at: frames[9].address - 64)
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames))
    }

    @Test(
        "Without symbols the code that panicked tells the place, and the frames of what it called")
    func withoutSymbols() throws {
        let explanation = nameless()
        let diagnosis = try #require(explanation.diagnosis)
        #expect(diagnosis.headline == "panicked (Rust): ledger 7 is gone")
        let place = try #require(diagnosis.findings.first?.statement)
        #expect(place.hasPrefix("The panic is at src/ledger.rs:41:9, in "))
        #expect(place.hasSuffix("sampled+0x401900."), "\(place)")
        let signature = try #require(explanation.signature?.text)
        #expect(signature.hasPrefix("abort \"panic: ledger # is gone\" "), "\(signature)")
        #expect(signature.contains("sampled+0x401900 | "), "\(signature)")
        #expect(!signature.contains("0x401800"), "\(signature)")
    }

    @Test(
        "A place that the code does not load, or that was passed on to abort() alone, is no panic")
    func noPanic() {
        for explanation in [nameless(code: [0x48, 0x8b, 0x35]), nameless(locationFrame: 8)] {
            #expect(explanation.diagnosis?.headline == "called abort()")
        }
    }
}
