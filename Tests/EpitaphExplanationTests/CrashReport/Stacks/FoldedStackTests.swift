// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphExplanation

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

    /// Frames of named functions at given addresses.
    private func stack(_ calls: [(String, UInt64)]) -> ReportStack {
        ReportStack(
            frames: calls.enumerated().map { index, call in
                var frame = ReportFrame(index: index, address: call.1)
                frame.function = call.0
                return frame
            })
    }

    private func places(_ stack: ReportStack) -> [String] {
        FoldedStack(stack).parts.flatMap { part -> [String] in
            switch part {
            case .frames(let frames): frames.map { "\($0.index):\($0.address)" }
            case .repeated(let count, _, _): ["\(count) more"]
            }
        }
    }

    @Test("The line of the recursive call is shown, not only the one that failed")
    func recursiveCall() {
        let deep = [("f", 1)] + Array(repeating: ("f", 2 as UInt64), count: 100) + [("main", 3)]
        #expect(places(stack(deep)) == ["0:1", "1:2", "99 more", "101:3"])
    }

    @Test("Of a recursion through several lines one frame of each line is kept")
    func severalLines() {
        let lines: [UInt64] = [2, 2, 2, 2, 2, 2, 4, 2, 4, 4, 2, 2, 4]
        let deep = [("f", 1)] + lines.map { ("f", $0) } + [("main", 3)]
        #expect(
            places(stack(deep)) == ["0:1", "1:2", "5 more", "7:4", "6 more", "14:3"])
        let recursion = FoldedStack(stack(deep)).recursions
        #expect(recursion == [.init(functions: ["f"], count: 14)])
    }

    @Test("Of a mutual recursion every line is kept as well")
    func severalLinesOfRounds() {
        let rounds: [[(String, UInt64)]] = (0..<20).map { index in
            [("even", index == 9 ? 12 : 10), ("odd", 20)]
        }
        let deep = rounds.flatMap(\.self) + [("main", 3)]
        #expect(
            places(stack(deep)) == [
                "0:10", "1:20", "8 more", "18:12", "19:20", "10 more", "40:3",
            ])
    }

    @Test("A million return addresses of one function are no million lines")
    func boundedLines() {
        let deep = (0..<100_000).map { ("f", UInt64($0)) }
        #expect(places(stack(deep)).count <= FoldedStack.mostRounds + 1)
    }

    @Test("Frames on both sides of a gap are not folded together, and counted together")
    func gap() {
        var deep = stack(Array(repeating: ("f", 2), count: 100) + [("main", 3)])
        deep.frames[60].omission = .stackBytes(4096)
        #expect(places(deep) == ["0:2", "59 more", "60:2", "39 more", "100:3"])
        let calls = RepeatedCalls(deep)
        #expect(calls?.count == 100)
        #expect(calls?.times == "at least 100 times")
        deep.frames[60].omission = .tailCall
        #expect(places(deep) == ["0:2", "99 more", "100:3"])
        #expect(RepeatedCalls(deep)?.times == "100 times")
        deep.whyIncomplete = "the memory at 0x10 was not captured"
        #expect(RepeatedCalls(deep)?.times == "at least 100 times")
    }
}
