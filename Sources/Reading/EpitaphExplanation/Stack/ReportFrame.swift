// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// One line of a stack: an inlined or called function. The lines of a physical frame are
/// consecutive, innermost inlined function first; only the last is not inlined.
package struct ReportFrame: Sendable, Equatable {
    package var index: Int
    package var address: UInt64
    package var place: Place?
    /// Nil if `place` is not, and where no library was.
    package var unloadedPlace: UnloadedPlace? {
        get { rarities?.value.unloadedPlace }
        set { setRare(newValue) { $0.unloadedPlace = $1 } }
    }
    package var function: String?
    /// As its author wrote it; the full name if there is no shorter one.
    package var shortFunction: String? {
        get { shortName ?? function }
        set { shortName = newValue }
    }
    private var shortName: String?
    /// The gap between this frame and the one before. Only on a frame's innermost line.
    package var omission: FrameOmission? {
        get { rarities?.value.omission }
        set { setRare(newValue) { $0.omission = $1 } }
    }
    /// Bytes from the function's start to `address`.
    package var functionOffset: UInt64?
    package var source: Source?
    package var functionLine: Int?
    /// From the `StackFrame`; nil if only an address is known.
    package var stackPointer: UInt64?
    package var isInlined = false
    /// The reason for a trap here, as the compiler recorded it. Only on a frame's innermost line.
    package var runtimeFailure: String? {
        get { rarities?.value.runtimeFailure }
        set { setRare(newValue) { $0.runtimeFailure = $1 } }
    }
    /// The kernel called a signal handler here: the next frame was interrupted.
    package var isSignalFrame = false
    package var excerpt: SourceExcerpt? {
        get { rarities?.value.excerpt }
        set { setRare(newValue) { $0.excerpt = $1 } }
    }
    package var handledSignal: HandledSignal? {
        get { rarities?.value.handledSignal }
        set { setRare(newValue) { $0.handledSignal = $1 } }
    }
    /// An `async` function that awaits the one before, found through its context.
    package var isAsyncCaller = false
    package var foundBy = StackFrame.FoundBy.registers

    package var isNameKept = false
    private var rarities: Rarities?

    /// What few frames have.
    private struct Rare: Equatable {
        var unloadedPlace: UnloadedPlace?
        var omission: FrameOmission?
        var runtimeFailure: String?
        var excerpt: SourceExcerpt?
        var handledSignal: HandledSignal?
    }

    /// Apart from the frame, which is copied often.
    private final class Rarities: Sendable, Equatable {
        let value: Rare

        init(_ value: Rare) {
            self.value = value
        }

        static func == (left: Rarities, right: Rarities) -> Bool { left.value == right.value }
    }

    private mutating func setRare<Value>(_ value: Value?, _ set: (inout Rare, Value?) -> Void) {
        guard value != nil || rarities != nil else { return }
        var rare = rarities?.value ?? Rare()
        set(&rare, value)
        rarities = rare == Rare() ? nil : Rarities(rare)
    }

    package struct Place: Sendable, Equatable {
        package var moduleIndex: Int
        package var moduleName: String
        /// The address in the module's file, as for `addr2line` and `objdump`: relative to the load
        /// address for files that can be loaded anywhere.
        package var offset: UInt64

        package init?(_ address: UInt64, in modules: [ModuleSnapshot]) {
            let holders = modules.indices.filter { modules[$0].addressRange.contains(address) }
            let index = holders.max {
                modules[$0].addressRange.lowerBound < modules[$1].addressRange.lowerBound
            }
            guard let index else { return nil }
            self.init(address, inModule: index, modules[index], named: modules[index].name)
        }

        init(
            _ address: UInt64, inModule index: Int, _ module: ModuleSnapshot, named name: String
        ) {
            moduleIndex = index
            moduleName = name
            offset = address &- module.assumedLoadBias
        }
    }

    /// In a library that was at the address before.
    package struct UnloadedPlace: Sendable, Equatable {
        package var libraryName: String
        /// Bytes from the library's start.
        package var offset: UInt64

        package init(libraryName: String, offset: UInt64) {
            self.libraryName = libraryName
            self.offset = offset
        }

        init?(_ address: UInt64, in snapshot: ProcessSnapshot) {
            guard let library = snapshot.unloadedModule(at: address) else { return nil }
            libraryName = library.name
            offset = address - library.addressRange.lowerBound
        }
    }

    /// Lines and columns count from 1.
    package struct Source: Sendable, Hashable {
        package var file: String
        package var line: Int?
        package var column: Int?

        package init(file: String, line: Int? = nil, column: Int? = nil) {
            self.file = file
            self.line = line
            self.column = column
        }
    }

    package enum Names: Sendable, Equatable {
        case short
        case full
    }

    var isScanned: Bool { foundBy == .stackScan || foundBy == .stackGuess }

    func name(_ names: Names) -> String? {
        names == .full ? function : shortFunction
    }

    package init(index: Int, address: UInt64) {
        self.index = index
        self.address = address
    }
}

package struct ReportStack: Sendable, Equatable {
    package var frames: [ReportFrame]
    package var whyIncomplete: String?
    /// The reason for missing callers that await the running `async` function, as a clause.
    package var whyAsyncCallersIncomplete: String?
    /// False if only the registers were used, without looking for callers.
    package var isUnwound = true
    package var isAtFault = false
    /// True if the frames are from filing time, because the files available now lead less far.
    package var isKept = false
    /// True if it is a coroutine's: what the thread called before is on another stack.
    package var isCoroutine = false

    package init(frames: [ReportFrame], whyIncomplete: String? = nil) {
        self.frames = frames
        self.whyIncomplete = whyIncomplete
    }

    init(_ registers: RegisterSnapshot, modules: [ModuleSnapshot]) {
        var frame = ReportFrame(index: 0, address: registers.instructionPointer)
        frame.place = ReportFrame.Place(frame.address, in: modules)
        frames = [frame]
        isUnwound = false
    }
}
