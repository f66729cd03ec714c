// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What is known about the modules through which stacks were unwound.
package struct UnwindingEvidence: Sendable, Equatable {
    /// Why the ELF files of modules could not be used, as sentences without a full stop, by the
    /// module's index.
    package var problems: [Int: String] = [:]
    /// Modules whose files are available and have no unwind tables, so that only frame pointers can
    /// be followed there.
    package var modulesWithoutTables: Set<Int> = []

    /// What was not available for a module, as a sentence without a full stop.
    func sentence(on index: Int, of modules: [ModuleSnapshot]) -> String? {
        guard modules.indices.contains(index) else { return nil }
        let words = "\(modules[index].name): its unwind information did not lead on"
        return words + (problems[index].map { " (\($0))" } ?? "")
    }
}

/// Why a stack is not proved to be complete.
struct StackDoubts {
    /// Clauses; empty if the stack is complete.
    private(set) var words: [String] = []
    /// Modules whose unwind information failed a step, by index.
    private(set) var modules: Set<Int> = []

    /// - Parameter isCutKnown: whether the dump itself says what it lacks of the stack's memory.
    init(_ stack: ReportStack, _ evidence: UnwindingEvidence, isCutKnown: Bool = false) {
        var scanned = 0
        var guessed = 0
        var byFramePointer = 0
        var missingBytes: UInt64 = 0
        var inner: ReportFrame?
        for frame in stack.frames {
            if case .stackBytes(let count) = frame.omission { missingBytes &+= count }
            // The lines of one physical frame were found together.
            guard !frame.isInlined else { continue }
            defer { inner = frame }
            let module = inner?.place?.moduleIndex
            switch frame.foundBy {
            // Information from the kernel or a context is as good as a table, and so is a return
            // address if nothing was pushed since the call.
            case .registers, .unwindTable, .signalContext, .returnAddress, .asyncContext: continue
            case .framePointer:
                // If a function was interrupted, it is not known whether it had made its frame. If
                // not, the frame pointer is its caller's, and the step skips that caller.
                let isOfMadeFrame = inner.map { !$0.isInterrupted } ?? false
                if isOfMadeFrame, module.map(evidence.modulesWithoutTables.contains) == true {
                    continue
                }
                byFramePointer += 1
            case .stackScan: scanned += 1
            case .stackGuess: guessed += 1
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
                    + "are missing")
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

extension ReportFrame {
    /// Whether it was stopped at any instruction, and not at a call.
    fileprivate var isInterrupted: Bool { foundBy == .registers || foundBy == .signalContext }
}
