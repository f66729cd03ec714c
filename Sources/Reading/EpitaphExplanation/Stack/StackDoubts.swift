// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct StackDoubts {
    private(set) var words: [String] = []
    /// Modules whose unwind information failed a step, by index.
    private(set) var modules: Set<Int> = []

    init(_ stack: ReportStack, isCutKnown: Bool = false) {
        var scanned = 0
        var guessed = 0
        var byFramePointer = 0
        var missingBytes: UInt64 = 0
        var inner: ReportFrame?
        for frame in stack.frames {
            if case .stackBytes(let count) = frame.omission { missingBytes &+= count }
            // The lines of a physical frame were found together.
            guard !frame.isInlined else { continue }
            defer { inner = frame }
            let module = inner?.place?.moduleIndex
            switch frame.foundBy {
            // The kernel's and a context's information is as good as a table; so is a return
            // address if nothing was pushed since the call, or if the call names the function.
            case .registers, .unwindTable, .signalContext, .returnAddress, .asyncContext,
                .calledFrame:
                continue
            case .framePointer: byFramePointer += 1
            case .stackScan: scanned += 1
            case .stackGuess:
                guessed += 1
                // Tables may have led on from the first one.
                if inner?.foundBy == .stackGuess { continue }
            }
            if let module { modules.insert(module) }
        }
        if scanned > 0 {
            words.append(
                "\(counted(scanned, "frame")) found by a stack scan: likely, not certain")
        }
        if guessed > 0 {
            words.append("\(counted(guessed, "frame")) found by a stack scan: possible, no more")
        }
        if byFramePointer > 0 {
            words.append(
                "\(counted(byFramePointer, "frame")) found by frame pointers where unwind tables "
                    + "are missing: likely, not certain")
        }
        if missingBytes > 0, !isCutKnown {
            words.append("\(missingBytes.grouped) bytes of its stack are not in the dump")
        }
        if let why = stack.whyIncomplete { words.append("the stack ends early: \(why)") }
        if let why = stack.whyAsyncCallersIncomplete {
            words.append("not all awaiting functions are known: \(why)")
        }
    }
}
