// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EpitaphExplanation

/// Epitaph's own frames on the stacks that people read.
struct OwnFrameTests {
    private func lines(
        _ names: [String], isAtFault: Bool = false, showsOwn: Bool = false
    ) -> [String] {
        var stack = ReportStack(
            frames: names.enumerated().map { index, name in
                var frame = ReportFrame(index: index, address: UInt64(index + 1) * 0x1000)
                frame.function = name
                return frame
            })
        stack.isAtFault = isAtFault
        return StackOutline(stack, showsOwn: showsOwn).lines.map { line in
            switch line {
            case .frame(let frame): frame.function ?? ""
            case .folded(let fold): fold.text
            }
        }
    }

    @Test("How a stack was taken is one line, with what was called for it")
    func taken() {
        let taken = ["epitaph_sys_tgkill", "epitaph_live_capture", "epitaph_error_report"]
        #expect(lines(taken + ["serve", "main"]) == ["… 3 frames of Epitaph", "serve", "main"])
        #expect(lines(["start_thread"] + taken + ["serve"]) == ["… 4 frames of Epitaph", "serve"])
        #expect(lines(taken + ["serve"], showsOwn: true) == taken + ["serve"])
    }

    @Test("How a thread was begun is one line, below the program's functions")
    func begun() {
        #expect(
            lines(["poll", "worker", "epitaph_thread_begin", "start_thread", "clone3"])
                == ["poll", "worker", "… 1 frame of Epitaph", "start_thread", "clone3"])
    }

    @Test("Where Epitaph's code was at fault, it is shown")
    func fault() {
        #expect(
            lines(["epitaph_note", "serve", "epitaph_thread_begin"], isAtFault: true)
                == ["epitaph_note", "serve", "… 1 frame of Epitaph"])
    }
}
