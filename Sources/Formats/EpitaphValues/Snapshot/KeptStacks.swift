// SPDX-License-Identifier: Apache-2.0

/// What was found out about the stacks of a crash when its dump became a report, on the machine
/// where it happened. The files this rests on may be gone when the report is read.
///
/// A report may come from anywhere, so its indices and counts can be wrong: read them through
/// `frames(of:)` and `calls(of:)`. A report that shows kept stacks says that they were kept.
/// docs/decisions/filing.md
package struct KeptStacks: Sendable, Equatable {
    /// One for each thread that was unwound, and one for the crash.
    package var stacks: [Stack] = []
    /// The steps of all stacks; stacks that are alike share theirs.
    package var steps: [Step] = []
    /// Each kind of frame once.
    package var frames: [Frame] = []
    /// The places in the code that frames were at, and what was called there.
    package var places: [Place] = []
    /// The calls of all places.
    package var calls: [Call] = []
    /// What could not be done, as sentences without a full stop.
    package var problems: [String] = []

    /// The most frames of one stack that are kept or read.
    package static let frameLimit = 4_096

    /// One thread's stack.
    package struct Stack: Sendable, Equatable {
        /// The thread's id; 0 if it is not known.
        package var threadID: UInt64
        /// True if the stack starts from the registers at the fault, false if it starts from those
        /// the thread was stopped with.
        package var isOfCrash: Bool
        /// What the first step counts from.
        package var stackPointer: UInt64
        /// Index of its first step in `steps`.
        package var firstStep: Int
        /// How many steps from `firstStep` on belong to it.
        package var stepCount: Int
        /// Why the frames end before the thread's first function; nil when they do not.
        package var whyIncomplete: String?
        /// Why some awaiting callers are missing; nil if all are there, or if nothing awaits.
        package var whyAsyncCallersIncomplete: String?

        /// A stack that is complete: set the two reasons if it is not.
        package init(
            threadID: UInt64, isOfCrash: Bool, stackPointer: UInt64, firstStep: Int,
            stepCount: Int
        ) {
            self.threadID = threadID
            self.isOfCrash = isOfCrash
            self.stackPointer = stackPointer
            self.firstStep = firstStep
            self.stepCount = stepCount
        }
    }

    /// From a frame to the next outer one.
    package struct Step: Sendable, Hashable {
        /// Index in `frames`.
        package var frame: Int
        /// How far the frame's stack pointer is from that of the frame before, in bytes; for the
        /// first step, from the stack's `stackPointer`.
        package var distance: Int64

        /// Both as in the properties; the index is not checked.
        package init(frame: Int, distance: Int64) {
            self.frame = frame
            self.distance = distance
        }
    }

    /// What frames at one place have in common, whichever thread they belong to.
    package struct Frame: Sendable, Hashable {
        /// The instruction at fault, or the one a call returns to.
        package var instructionPointer: UInt64
        /// An address inside the instruction.
        package var lookupAddress: UInt64
        /// How it was found: the raw value of a `StackFrame.FoundBy` of StackUnwinding.
        package var foundBy: String
        /// Whether the kernel called a signal handler here.
        package var isSignalFrame: Bool
        /// What is missing between this frame and the one before; nil if nothing is.
        package var omission: FrameOmission?

        /// A frame of an ordinary call with nothing missing before it, unless the last two say
        /// otherwise.
        package init(
            instructionPointer: UInt64, lookupAddress: UInt64, foundBy: String,
            isSignalFrame: Bool = false, omission: FrameOmission? = nil
        ) {
            self.instructionPointer = instructionPointer
            self.lookupAddress = lookupAddress
            self.foundBy = foundBy
            self.isSignalFrame = isSignalFrame
            self.omission = omission
        }
    }

    /// The calls at one address, inlined ones included.
    package struct Place: Sendable, Equatable {
        /// The `lookupAddress` of the frames that are at this place.
        package var lookupAddress: UInt64
        /// Index in `calls` of the innermost call.
        package var firstCall: Int
        /// How many calls from `firstCall` on belong to it.
        package var callCount: Int

        /// The indices are not checked here: `calls(of:)` does it.
        package init(lookupAddress: UInt64, firstCall: Int, callCount: Int) {
            self.lookupAddress = lookupAddress
            self.firstCall = firstCall
            self.callCount = callCount
        }
    }

    /// A function that was running, inlined or called.
    package struct Call: Sendable, Hashable {
        /// The function's demangled name; nil if it was not found.
        package var function: String?
        /// The function's name as its ELF file has it.
        package var linkageName: String?
        /// Bytes from the function's start to the place's address; nil for an inlined call.
        package var functionOffset: UInt64?
        /// The path of the source file; nil if unknown.
        package var file: String?
        /// Counted from 1; nil if unknown.
        package var line: Int?
        /// Counted from 1; nil if unknown.
        package var column: Int?
        /// The line the function is declared in.
        package var functionLine: Int?
        /// Whether the compiler inlined the function into that of the next call.
        package var isInlined = false
        /// Why the code stops the program here on purpose, for example an overflow check; nil for
        /// other code.
        package var runtimeFailure: String?

        /// A call with nothing known yet.
        package init() {}
    }

    /// Nothing kept.
    package init() {}

    /// A frame of one stack.
    package struct PlacedFrame: Sendable, Equatable {
        /// What it shares with all frames at this place.
        package var frame: Frame
        /// The frame's stack pointer: that of the stack plus the distances of the steps up to here.
        package var stackPointer: UInt64
    }

    /// The frames of a stack, innermost first, up to the first step whose index is out of range.
    package func frames(of stack: Stack) -> [PlacedFrame] {
        guard stack.firstStep >= 0, stack.stepCount > 0, stack.firstStep < steps.count else {
            return []
        }
        var found: [PlacedFrame] = []
        var pointer = stack.stackPointer
        for step in steps[stack.firstStep...].prefix(min(stack.stepCount, Self.frameLimit)) {
            guard frames.indices.contains(step.frame) else { break }
            pointer &+= UInt64(bitPattern: step.distance)
            found.append(PlacedFrame(frame: frames[step.frame], stackPointer: pointer))
        }
        return found
    }

    /// The calls of a place, innermost first; empty if its index is out of range.
    package func calls(of place: Place) -> ArraySlice<Call> {
        guard place.firstCall >= 0, place.firstCall < calls.count else { return [] }
        // Inlining nests some dozen deep.
        return calls[place.firstCall...].prefix(min(max(place.callCount, 0), 256))
    }
}

/// Call frame information of a module for the places its frames were at, copied from its file when
/// the report was filed.
package struct KeptCallFrames: Sendable, Equatable {
    /// What to add to an address in the entries to get one in the process.
    package var loadBias: UInt64
    /// Entries in the format of `.eh_frame`, with absolute addresses instead of relative ones, so
    /// that they mean the same wherever the bytes are.
    package var entries: ByteSlice

    /// The bytes are parsed when they are used, not here.
    package init(loadBias: UInt64, entries: ByteSlice) {
        self.loadBias = loadBias
        self.entries = entries
    }
}

/// What is not there between two frames of a stack.
package enum FrameOmission: Sendable, Hashable {
    /// The dump lacks this many bytes of the stack between the two.
    case stackBytes(UInt64)
    /// A function that ended with a tail call: the function it jumped to reused its frame.
    case tailCall
}
