// SPDX-License-Identifier: Apache-2.0

extension FoldedStack {
    /// What stands on one line of a folded stack.
    enum Line {
        case frame(ReportFrame)
        case repeated(count: Int, frameCount: Int, functions: [String])
    }
}

extension FoldedStack.Part {
    var lines: [FoldedStack.Line] {
        switch self {
        case .frames(let frames): frames.map { .frame($0) }
        case .repeated(let count, let frameCount, let functions):
            [.repeated(count: count, frameCount: frameCount, functions: functions)]
        }
    }
}
