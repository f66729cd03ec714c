// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// A thread's frames, innermost first.
public struct ReportStack: Sendable, Equatable {
    /// Empty if the registers of the thread are not known.
    public var frames: [ReportFrame]
    /// Why the frames end before the thread's first function, as a clause; nil when they do not.
    public var whyIncomplete: String?
    /// Why not all functions that await the running `async` one are among the frames, as a clause;
    /// nil when they are, or when none runs.
    public var whyAsyncCallersIncomplete: String?
    /// False if callers were not looked for: the frames are what the registers show.
    public var isUnwound = true
    /// The frames are those that were found when the report was filed: the files at hand do not
    /// lead so far.
    public var isKept = false

    /// A stack that was found elsewhere.
    public init(frames: [ReportFrame], whyIncomplete: String? = nil) {
        self.frames = frames
        self.whyIncomplete = whyIncomplete
    }

    /// All that registers alone show: the instruction that was running.
    init(_ registers: RegisterSnapshot, modules: [ModuleSnapshot]) {
        var frame = ReportFrame(index: 0, address: registers.instructionPointer)
        frame.place = ReportFrame.Place(frame.address, in: modules)
        frames = [frame]
        isUnwound = false
    }
}
