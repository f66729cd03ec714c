// SPDX-License-Identifier: Apache-2.0

import Bytes

/// What was found out about the stacks of a crash when its dump became a report, on the machine it
/// happened on: the files it rests on may be gone when the report is read.
///
/// It came with the report. Who uses it must expect anything in it, and says that it was kept.
/// docs/decisions/kept-stacks.md
public struct KeptStacks: Sendable, Equatable {
    /// One for each thread that was unwound, and one for the crash.
    public var stacks: [Stack] = []
    /// The steps of all stacks; stacks that are alike share theirs.
    public var steps: [Step] = []
    /// Each kind of frame once.
    public var frames: [Frame] = []
    /// The places in the code that frames were at, and what was called there.
    public var places: [Place] = []
    /// The calls of all places.
    public var calls: [Call] = []
    /// What could not be done, as sentences without a full stop.
    public var problems: [String] = []

    /// More frames of one stack are not kept, nor read.
    public static let frameLimit = 4_096

    /// One thread's stack.
    public struct Stack: Sendable, Equatable {
        /// The thread's; 0 for one that is not known.
        public var threadID: UInt64
        /// From the registers at the fault, and not from those the thread was stopped with.
        public var isOfCrash: Bool
        /// What the first step counts from.
        public var stackPointer: UInt64
        /// Into `steps`.
        public var firstStep: Int
        /// How many steps are its own.
        public var stepCount: Int
        /// Why the frames end before the thread's first function; nil when they do not.
        public var whyIncomplete: String?
        /// Why not all awaiting callers are there; nil when they are, or none are awaited.
        public var whyAsyncCallersIncomplete: String?

        public init(
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
    public struct Step: Sendable, Hashable {
        /// Into `frames`.
        public var frame: Int
        /// How far the frame's stack pointer is from that of the frame before.
        public var distance: Int64

        public init(frame: Int, distance: Int64) {
            self.frame = frame
            self.distance = distance
        }
    }

    /// What frames at one place have in common, whatever thread they are of.
    public struct Frame: Sendable, Hashable {
        /// The instruction at fault, or the one a call returns to.
        public var instructionPointer: UInt64
        /// An address inside the instruction.
        public var lookupAddress: UInt64
        /// How it was found, in the unwinder's word.
        public var foundBy: String
        /// Whether the kernel called a signal handler here.
        public var isSignalFrame: Bool
        /// What is missing before the frame.
        public var omission: FrameOmission?

        public init(
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
    public struct Place: Sendable, Equatable {
        public var lookupAddress: UInt64
        /// Into `calls`: innermost first.
        public var firstCall: Int
        /// How many calls are its own.
        public var callCount: Int

        public init(lookupAddress: UInt64, firstCall: Int, callCount: Int) {
            self.lookupAddress = lookupAddress
            self.firstCall = firstCall
            self.callCount = callCount
        }
    }

    /// A function that was running, inlined or called.
    public struct Call: Sendable, Hashable {
        /// The function's name for people; nil if it was not found.
        public var function: String?
        /// The function's name as its file has it.
        public var linkageName: String?
        /// Bytes from the function's start to the place's address; nil for an inlined call.
        public var functionOffset: UInt64?
        /// The path of the source file; nil if unknown.
        public var file: String?
        /// Counted from 1; nil if unknown.
        public var line: Int?
        /// Counted from 1; nil if unknown.
        public var column: Int?
        /// The line the function is declared in.
        public var functionLine: Int?
        /// Whether the compiler put the function into the one of the next call.
        public var isInlined = false
        /// Why the code stops itself here; nil for other code.
        public var runtimeFailure: String?

        public init() {}
    }

    public init() {}

    /// A frame of one stack.
    public struct PlacedFrame: Sendable, Equatable {
        public var frame: Frame
        public var stackPointer: UInt64
    }

    /// The frames of a stack, innermost first, as far as they make sense.
    public func frames(of stack: Stack) -> [PlacedFrame] {
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

    /// The calls of a place, innermost first; empty for one that makes no sense.
    public func calls(of place: Place) -> ArraySlice<Call> {
        guard place.firstCall >= 0, place.firstCall < calls.count else { return [] }
        // Inlining nests some dozen deep.
        return calls[place.firstCall...].prefix(min(max(place.callCount, 0), 256))
    }
}

/// Call frame information of a module for the places its frames were at, taken from its file when
/// the report was filed.
public struct KeptCallFrames: Sendable, Equatable {
    /// What to add to an address in the entries to get one in the process.
    public var loadBias: UInt64
    /// Entries as `.eh_frame` has them, with addresses that count from nothing: they mean the same
    /// wherever they are.
    public var entries: ByteSlice

    public init(loadBias: UInt64, entries: ByteSlice) {
        self.loadBias = loadBias
        self.entries = entries
    }
}

/// What is not there between two frames of a stack.
public enum FrameOmission: Sendable, Hashable {
    /// So many bytes of the stack lie there that the dump does not hold.
    case stackBytes(UInt64)
    /// A function that left by a tail call: what it jumped to took the place of its frame.
    case tailCall
}
