// SPDX-License-Identifier: Apache-2.0

/// The stacks of a crash as unwound at filing, on the machine of the crash. A report may come from
/// anywhere, so indices and counts can be wrong: read them through `frames(of:)` and `calls(of:)`.
/// A report that shows kept stacks says so. docs/decisions/filing.md
package struct KeptStacks: Sendable, Equatable {
    package var stacks: [Stack] = []
    package var steps: [Step] = []
    /// Each distinct frame once.
    package var frames: [Frame] = []
    /// Code locations of frames, and the calls there.
    package var places: [Place] = []
    package var calls: [Call] = []
    /// Sentences without a full stop.
    package var problems: [String] = []

    /// Limit on frames of one stack, kept or read.
    package static let frameLimit = 4_096

    package struct Stack: Sendable, Equatable {
        package var threadID: UInt64
        package var isOfCrash: Bool
        /// Of a call that allocated or freed a sampled block; nil for a stack at the capture.
        package var moment: HeapMoment.Place?
        /// The start of the first step's `distance`.
        package var stackPointer: UInt64
        package var firstStep: Int
        package var stepCount: Int
        /// Why the frames end before the thread's first function; nil if they do not.
        package var whyIncomplete: String?
        /// Why some awaiting callers are missing; nil if none are.
        package var whyAsyncCallersIncomplete: String?

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
        package var frame: Int
        /// Bytes from the previous frame's stack pointer, or first from the stack's, to this one.
        package var distance: Int64

        package init(frame: Int, distance: Int64) {
            self.frame = frame
            self.distance = distance
        }
    }

    /// Properties shared by all frames at one place, on any thread.
    package struct Frame: Sendable, Hashable {
        /// The faulting instruction, or a return address.
        package var instructionPointer: UInt64
        package var lookupAddress: UInt64
        package var foundBy: String
        /// Whether the kernel called a signal handler here.
        package var isSignalFrame: Bool
        /// What is missing before this frame; nil if nothing is.
        package var omission: FrameOmission?

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

    /// The calls at one address, including inlined ones.
    package struct Place: Sendable, Equatable {
        package var lookupAddress: UInt64
        package var firstCall: Int
        package var callCount: Int

        package init(lookupAddress: UInt64, firstCall: Int, callCount: Int) {
            self.lookupAddress = lookupAddress
            self.firstCall = firstCall
            self.callCount = callCount
        }
    }

    package struct Call: Sendable, Hashable {
        package var function: String?
        /// As in the ELF file.
        package var linkageName: String?
        /// From the function's start to the place's address, in bytes; nil for an inlined call.
        package var functionOffset: UInt64?
        package var file: String?
        /// From 1; nil if unknown.
        package var line: Int?
        package var column: Int?
        package var functionLine: Int?
        package var isInlined = false
        /// Why the code traps on purpose, such as an overflow check; nil for other code.
        package var runtimeFailure: String?

        package init() {}
    }

    package init() {}

    package struct PlacedFrame: Sendable, Equatable {
        package var frame: Frame
        package var stackPointer: UInt64
    }

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

    package func calls(of place: Place) -> ArraySlice<Call> {
        guard place.firstCall >= 0, place.firstCall < calls.count else { return [] }
        // Inlining nests a few dozen deep.
        return calls[place.firstCall...].prefix(min(max(place.callCount, 0), 256))
    }
}

/// A module's call frame information for its frames, copied from its file at filing.
package struct KeptCallFrames: Sendable, Equatable {
    /// Added to an address of the entries to get one in the process.
    package var loadBias: UInt64
    /// `.eh_frame` with absolute addresses, which do not depend on where the bytes are.
    package var entries: ByteSlice

    package init(loadBias: UInt64, entries: ByteSlice) {
        self.loadBias = loadBias
        self.entries = entries
    }
}

/// What is missing between two frames of a stack.
package enum FrameOmission: Sendable, Hashable {
    /// The dump lacks this many bytes of the stack.
    case stackBytes(UInt64)
    /// A function that ended with a tail call, whose target reused its frame.
    case tailCall
}
