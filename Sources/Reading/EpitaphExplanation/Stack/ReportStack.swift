// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A thread's frames, innermost first.
package struct ReportStack: Sendable, Equatable {
    /// Empty if the registers of the thread are not known.
    package var frames: [ReportFrame]
    /// Why the frames end before the thread's first function, as a clause; nil if they do not.
    package var whyIncomplete: String?
    /// Why some functions that await the running `async` one are missing, as a clause; nil if all
    /// are there, or if none is running.
    package var whyAsyncCallersIncomplete: String?
    /// False if callers were not looked for: the frames are what the registers show.
    package var isUnwound = true
    /// Whether the frames are those found when the report was filed, because the files available
    /// now do not lead as far.
    package var isKept = false

    /// A stack that was found elsewhere.
    package init(frames: [ReportFrame], whyIncomplete: String? = nil) {
        self.frames = frames
        self.whyIncomplete = whyIncomplete
    }

    /// All that registers show: the instruction that was running.
    init(_ registers: RegisterSnapshot, modules: [ModuleSnapshot]) {
        var frame = ReportFrame(index: 0, address: registers.instructionPointer)
        frame.place = ReportFrame.Place(frame.address, in: modules)
        frames = [frame]
        isUnwound = false
    }
}
