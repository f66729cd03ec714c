// SPDX-License-Identifier: Apache-2.0

/// Goes from a frame to its caller by the call frame information of its image: through libunwind
/// where that can, otherwise with our own reading of it.
/// docs/decisions/two-readers-of-call-frames.md.
struct TableStep {
    /// Nil where libunwind does not know the processor.
    let libunwind: LibunwindStep?
    let own: CallFrameStep

    /// Nil where nothing is known about the place.
    func caller(of state: FrameState, at place: CodePlace) -> CallFrameStep.Outcome? {
        guard let rules = place.rules else { return nil }
        if !rules.isSignalFrame, let caller = libunwind?.caller(of: state, at: place) {
            return .frame(caller)
        }
        return own.caller(of: state, rules)
    }
}
