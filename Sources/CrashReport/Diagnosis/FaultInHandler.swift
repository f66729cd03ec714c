// SPDX-License-Identifier: Apache-2.0

/// A crash inside a signal handler that was itself called for a fault.
enum FaultInHandler {
    static func finding(_ scene: CrashScene) -> Diagnosis.Finding? {
        let position = scene.frames.lastIndex { $0.handledSignal?.isFault == true }
        guard let position, let handled = scene.frames[position].handledSignal else { return nil }
        let handler = scene.frames[..<position].last { !$0.isInlined }?.shortPlace
        let interrupted = scene.frames[(position + 1)...].first?.shortPlace
        return .init(
            "It happened in a signal handler\(handler.map { ", \($0)," } ?? "") that was called for "
                + "an earlier fault\(interrupted.map { " in \($0)" } ?? ""): that one came first.",
            evidence: "On the stack is what the kernel saved for the handler, of \(handled.words).")
    }
}
