// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct UnwindingEvidence: Sendable, Equatable {
    /// Problems with ELF files: sentences without a full stop, by module index.
    package var problems: [Int: String] = [:]
    /// Modules with files but no unwind tables: only frame pointers can be followed.
    package var modulesWithoutTables: Set<Int> = []

    func sentence(on index: Int, of modules: [ModuleSnapshot]) -> String? {
        guard modules.indices.contains(index) else { return nil }
        let words = "\(modules[index].name): its unwind information did not lead on"
        return words + (problems[index].map { " (\($0))" } ?? "")
    }
}

struct StackDoubts {
    /// Clauses; empty for a complete stack.
    private(set) var words: [String] = []
    /// Modules whose unwind information failed a step, by index.
    private(set) var modules: Set<Int> = []

    /// - Parameter isCutKnown: whether the dump itself says which stack memory it lacks.
    init(_ stack: ReportStack, _ evidence: UnwindingEvidence, isCutKnown: Bool = false) {
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
            // address if nothing was pushed since the call.
            case .registers, .unwindTable, .signalContext, .returnAddress, .asyncContext: continue
            case .framePointer:
                // An interrupted function may not have made its frame yet. Then the frame pointer
                // is its caller's, and the step skips that caller.
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
    /// True if it was stopped at any instruction, not at a call.
    fileprivate var isInterrupted: Bool { foundBy == .registers || foundBy == .signalContext }
}
