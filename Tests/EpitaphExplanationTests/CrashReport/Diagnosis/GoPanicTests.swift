// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// The value of a Go panic, found in the frame of gopanic.
@Suite struct GoPanicTests {
    private static let stack: UInt64 = 0xc000_0000_1000
    private static let data: UInt64 = 0x0100_0000
    /// Of a type: internal/abi/type.go.
    private static let kindOfString: UInt8 = 24

    /// The frame of `end` has an interface, a type and the address of a string, or that string.
    private func explain(
        _ text: String, kind: UInt8 = kindOfString, end: String = "runtime.gopanic"
    ) -> CrashExplanation {
        let names = ["runtime.raise", "runtime.crash", end, "main.pick", "main.main"]
        let frames = names.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            frame.stackPointer = Self.stack + UInt64(index) * 64
            return frame
        }
        var stack = ByteBuilder()
        stack.appendZeros(128)
        let words =
            end == "runtime.gopanic"
            ? [7, Self.data, Self.data + 32, 8]
            : [Self.data, Self.data + 48, UInt64(text.utf8.count), Self.data]
        for word in words { stack.append(word) }
        stack.appendZeros(160)
        var data = ByteBuilder()
        for word: UInt64 in [16, 8] { data.append(word) }
        for byte: UInt8 in [1, 2, 3, 4, 7, 8, 8, kind] { data.append(byte) }
        for word in [0, Self.data + 48, UInt64(text.utf8.count)] { data.append(word) }
        data.append(text)
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        sample.add(stack.bytes, at: Self.stack)
        sample.add(data.bytes, at: Self.data)
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames))
    }

    @Test(
        "A panic that nothing recovered is told in its own words",
        arguments: [
            ("the disk is full\nand more", "the disk is full"),
            ("runtime error: index out of range [5]", "index out of range [5]"),
        ])
    func words(text: String, said: String) {
        let explanation = explain(text)
        #expect(explanation.diagnosis?.kind == .abort)
        #expect(explanation.diagnosis?.headline == "panicked (Go): \(said)")
        #expect(
            explanation.diagnosis?.findings.map(\.statement) == [
                "Nothing recovered a panic. The panic is in main.pick."
            ])
        #expect(explanation.signature?.text.hasPrefix("abort \"panic: ") == true)
        #expect(explanation.signature?.text.hasSuffix("\" main.pick | main.main") == true)
    }

    @Test(
        "What Go's runtime cannot recover from is told in its words, each a crash of its own",
        arguments: ["runtime.throw", "runtime.fatal"])
    func fatalError(end: String) {
        let explanation = explain("concurrent map writes", end: end)
        #expect(
            explanation.diagnosis?.headline == "was stopped by Go's runtime: concurrent map writes")
        #expect(
            explanation.signature?.text
                == "abort \"fatal error: concurrent map writes\" main.pick | main.main")
    }

    @Test("A value that is no string is not told as one")
    func otherValue() {
        #expect(explain("the disk is full", kind: 25).diagnosis?.headline == "panicked (Go)")
    }
}
