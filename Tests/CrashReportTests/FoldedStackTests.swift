// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CrashReport

/// Recursion is shown once.
@Suite struct FoldedStackTests {
    private func stack(_ names: [String]) -> ReportStack {
        let known = Array(Set(names))
        let addresses = Dictionary(
            uniqueKeysWithValues: known.enumerated().map { ($1, 0x1000 + UInt64($0)) })
        return ReportStack(
            frames: names.enumerated().map { index, name in
                var frame = ReportFrame(index: index, address: addresses[name] ?? 0)
                frame.function = name
                return frame
            })
    }

    private func text(_ names: [String]) -> [String] {
        FoldedStack(stack(names)).parts.flatMap { part -> [String] in
            switch part {
            case .frames(let frames): frames.compactMap(\.function)
            case .repeated(let count, let frameCount, let functions):
                ["\(count) x \(functions.joined(separator: ",")) = \(frameCount)"]
            }
        }
    }

    @Test("A million frames of one function are two lines")
    func recursion() {
        let deep = ["leaf"] + Array(repeating: "f", count: 1_000_000) + ["main"]
        #expect(text(deep) == ["leaf", "f", "999999 x f = 999999", "main"])
    }

    @Test("Functions that call each other fold as a round")
    func mutualRecursion() {
        let deep = ["leaf"] + Array(repeating: ["even", "odd", "next"], count: 10).flatMap(\.self)
        #expect(
            text(deep + ["even", "main"]) == [
                "leaf", "even", "odd", "next", "9 x even,odd,next = 27", "even", "main",
            ])
    }

    @Test("What repeats a few times only, or through too many functions, stays as it is")
    func unfolded() {
        let few = ["f", "f", "f", "f", "main"]
        #expect(text(few) == few)
        let wide = Array(repeating: (0..<9).map { "f\($0)" }, count: 6).flatMap(\.self)
        #expect(text(wide) == wide)
        #expect(text([]) == [])
    }

    @Test("Inlined calls stay with the frame that holds them")
    func inlined() {
        var frames: [ReportFrame] = []
        for index in 0..<6 {
            var inner = ReportFrame(index: index, address: 0x2000)
            inner.function = "inner"
            inner.isInlined = true
            var outer = ReportFrame(index: index, address: 0x2000)
            outer.function = "outer"
            frames += [inner, outer]
        }
        let folded = FoldedStack(ReportStack(frames: frames))
        #expect(
            folded.parts == [
                .frames(frames[0..<2]),
                .repeated(count: 5, frameCount: 5, functions: ["outer"]),
            ])
    }
}
