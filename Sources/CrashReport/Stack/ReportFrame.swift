// SPDX-License-Identifier: Apache-2.0

import Snapshot
import StackUnwinding

/// One line of a stack as a person reads it: a function that was running, inlined or called.
///
/// The lines of one physical frame follow each other, innermost inlined function first; only the
/// last of them is not inlined.
public struct ReportFrame: Sendable, Equatable {
    /// Counted from 0 at the innermost frame. Lines of one physical frame share it.
    public var index: Int
    /// The instruction in the crashed process: the one at fault, or the one a call returns to.
    public var address: UInt64
    /// Nil for an address outside of all modules.
    public var place: Place?
    /// The function's whole name: with modules, types and all that the compiler added.
    public var function: String?
    /// The function's name as its author wrote it, for people; the whole one where it is no longer.
    public var shortFunction: String? {
        get { shortName ?? function }
        set { shortName = newValue }
    }
    private var shortName: String?
    /// What stands between this frame and the one before it and is not shown; nil for nothing. Only
    /// on the innermost line of a frame.
    public var omission: FrameOmission?
    /// Bytes from the function's start to `address`.
    public var functionOffset: UInt64?
    /// Nil without debug information of the function.
    public var source: Source?
    /// The line the function is declared in.
    public var functionLine: Int?
    /// As of the `StackFrame`; nil where only an address is known.
    public var stackPointer: UInt64?
    /// Whether the compiler put the function into the one of the next line.
    public var isInlined = false
    /// Why the code stops itself here, as the compiler recorded it for its trap instruction: "Index
    /// out of range". Only on the innermost line of a frame.
    public var runtimeFailure: String?
    /// The kernel called a signal handler here: the next frame is what the signal interrupted.
    public var isSignalFrame = false
    /// The lines of the source file around `source`, where the reader has them.
    public var excerpt: SourceExcerpt?
    /// The signal that the handler was called for.
    public var handledSignal: HandledSignal?
    /// An `async` function that waits for the one before it: its frame is not on the stack, but in
    /// a context that its callee will go on with.
    public var isAsyncCaller = false
    /// How the frame was found, in words that continue "found by"; nil for the registers and for
    /// the unwind tables, which can be trusted.
    public var foundBy = StackFrame.FoundBy.registers

    /// Function and source are those that were found out when the report was filed: the files at
    /// hand do not tell them.
    public var isNameKept = false

    /// A module and where in it.
    public struct Place: Sendable, Equatable {
        /// Index into the snapshot's modules.
        public var moduleIndex: Int
        /// The last component of the module's path.
        public var moduleName: String
        /// The address as the module's file has it, which `addr2line` and `objdump` take: for what
        /// can be loaded anywhere, bytes from where it was loaded.
        public var offset: UInt64

        /// Nil when no module holds the address. Where modules of a damaged snapshot lie over each
        /// other, the one that begins last is meant, as for frames.
        public init?(_ address: UInt64, in modules: [ModuleSnapshot]) {
            let holders = modules.indices.filter { modules[$0].addressRange.contains(address) }
            let index = holders.max {
                modules[$0].addressRange.lowerBound < modules[$1].addressRange.lowerBound
            }
            guard let index else { return nil }
            self.init(address, inModule: index, of: modules)
        }

        /// Nil when there is no such module.
        init?(_ address: UInt64, inModule index: Int, of modules: [ModuleSnapshot]) {
            guard modules.indices.contains(index) else { return nil }
            let module = modules[index]
            moduleIndex = index
            moduleName = module.name
            offset = address &- module.assumedLoadBias
        }
    }

    /// A place in a source file; lines and columns count from 1.
    public struct Source: Sendable, Hashable {
        /// Its path, as the debug information has it.
        public var file: String
        /// Nil if only the file is known.
        public var line: Int?
        /// Nil if unknown.
        public var column: Int?

        /// A place in `file`.
        public init(file: String, line: Int? = nil, column: Int? = nil) {
            self.file = file
            self.line = line
            self.column = column
        }
    }

    /// Which of a function's names are shown.
    public enum Names: Sendable, Equatable {
        /// Those their authors wrote.
        case short
        /// With modules, types and all that the compiler added.
        case full
    }

    func name(_ names: Names) -> String? {
        names == .full ? function : shortFunction
    }

    /// A frame of which only the address is known.
    public init(index: Int, address: UInt64) {
        self.index = index
        self.address = address
    }
}
