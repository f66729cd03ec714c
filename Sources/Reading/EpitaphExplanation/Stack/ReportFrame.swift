// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// One line of a stack for people: a function that was running, inlined or called.
/// The lines of one physical frame follow each other, innermost inlined function first; only the
/// last of them is not inlined.
package struct ReportFrame: Sendable, Equatable {
    /// Counted from 0 at the innermost frame. Lines of one physical frame share it.
    package var index: Int
    /// The instruction in the crashed process: the one at fault, or the one a call returns to.
    package var address: UInt64
    /// Nil for an address outside of all modules.
    package var place: Place?
    /// The function's full name: with modules, types and everything that the compiler added.
    package var function: String?
    /// The function's name as its author wrote it; the full one if it has no shorter form.
    package var shortFunction: String? {
        get { shortName ?? function }
        set { shortName = newValue }
    }
    private var shortName: String?
    /// What is missing between this frame and the one before it; nil if nothing is. Only on the
    /// innermost line of a frame.
    package var omission: FrameOmission?
    /// Bytes from the function's start to `address`.
    package var functionOffset: UInt64?
    /// Nil without debug information of the function.
    package var source: Source?
    /// The line the function is declared in.
    package var functionLine: Int?
    /// That of the `StackFrame`; nil if only an address is known.
    package var stackPointer: UInt64?
    /// Whether the compiler inlined the function into that of the next line.
    package var isInlined = false
    /// Why the code stops the program here, as the compiler recorded it for its trap instruction:
    /// "Index out of range". Only on the innermost line of a frame.
    package var runtimeFailure: String?
    /// The kernel called a signal handler here: the next frame is what the signal interrupted.
    package var isSignalFrame = false
    /// The lines of the source file around `source`, if the file is available.
    package var excerpt: SourceExcerpt?
    /// The signal that the handler was called for.
    package var handledSignal: HandledSignal?
    /// An `async` function that awaits the one before it: its frame is not on the stack, but in a
    /// context with which its callee will continue it.
    package var isAsyncCaller = false
    /// How the frame was found.
    package var foundBy = StackFrame.FoundBy.registers

    /// Whether function and source are those found when the report was filed, because the files
    /// available now do not have them.
    package var isNameKept = false

    /// A module and a place in it.
    package struct Place: Sendable, Equatable {
        /// Index into the snapshot's modules.
        package var moduleIndex: Int
        /// The last component of the module's path.
        package var moduleName: String
        /// The address in the module's file, which `addr2line` and `objdump` take: for files that
        /// can be loaded anywhere, bytes from where it was loaded.
        package var offset: UInt64

        /// Nil if no module contains the address. If modules of a damaged snapshot overlap, the one
        /// that begins last counts, as for frames.
        package init?(_ address: UInt64, in modules: [ModuleSnapshot]) {
            let holders = modules.indices.filter { modules[$0].addressRange.contains(address) }
            let index = holders.max {
                modules[$0].addressRange.lowerBound < modules[$1].addressRange.lowerBound
            }
            guard let index else { return nil }
            self.init(address, inModule: index, of: modules)
        }

        /// Nil if there is no such module.
        init?(_ address: UInt64, inModule index: Int, of modules: [ModuleSnapshot]) {
            guard modules.indices.contains(index) else { return nil }
            let module = modules[index]
            moduleIndex = index
            moduleName = module.name
            offset = address &- module.assumedLoadBias
        }
    }

    /// A place in a source file; lines and columns count from 1.
    package struct Source: Sendable, Hashable {
        /// Its path, as in the debug information.
        package var file: String
        /// Nil if only the file is known.
        package var line: Int?
        /// Nil if unknown.
        package var column: Int?

        /// A place in `file`.
        package init(file: String, line: Int? = nil, column: Int? = nil) {
            self.file = file
            self.line = line
            self.column = column
        }
    }

    /// Which of a function's names are shown.
    package enum Names: Sendable, Equatable {
        /// Those their authors wrote.
        case short
        /// With modules, types and everything that the compiler added.
        case full
    }

    func name(_ names: Names) -> String? {
        names == .full ? function : shortFunction
    }

    /// A frame with only its address known.
    package init(index: Int, address: UInt64) {
        self.index = index
        self.address = address
    }
}

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
