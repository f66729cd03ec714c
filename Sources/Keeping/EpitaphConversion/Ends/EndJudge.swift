// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphValues

struct EndVerdict: Sendable, Equatable {
    let end: LaunchEnd
    /// A sentence without a full stop; nil if there is nothing to add.
    let evidence: String?
}

/// The facts that decide how a launch ended; the decision is pure. docs/launch-ends.md
struct EndEvidence: Sendable {
    /// Nil if the file contains none.
    var launch: LaunchRecord?
    /// Nil if unknown.
    var bootID: Epitaph.ID?
    /// The process is still running, as another program.
    var isReplaced = false
    var outOfMemory = OutOfMemoryEvidence.unknown
    /// Why the machine was restarted; nil for a launch since this boot.
    var restart: RestartEvidence?

    var verdict: EndVerdict {
        if isReplaced, launch?.cleanExitTime == nil {
            return EndVerdict(
                end: .exec, evidence: "the process runs on, and uses Epitaph's file no more")
        }
        let end = LaunchEnd(of: launch, bootID: bootID)
        switch end {
        case .signalled: return EndVerdict(end: end, evidence: sender)
        case .lostToReboot:
            guard let restart else { return EndVerdict(end: end, evidence: nil) }
            return EndVerdict(end: restart.end, evidence: restart.evidence)
        case .killed:
            let verdict = outOfMemory.verdict
            let ruledOut = verdict.end == .killed ? markedSignals : nil
            let sentences = [verdict.evidence, ruledOut].compactMap { $0 }
            return EndVerdict(
                end: verdict.end,
                evidence: sentences.isEmpty ? nil : sentences.joined(separator: "; "))
        default: return EndVerdict(end: end, evidence: nil)
        }
    }

    private var sender: String {
        guard let sender = launch?.endSignalSender else { return "the kernel sent the signal" }
        // The sender is outside of the process's pid namespace, so it has no number there.
        guard sender != 0 else { return "a process of another pid namespace sent the signal" }
        return "process \(sender) sent the signal"
    }

    private var markedSignals: String? {
        guard let marked = launch?.markedSignals, marked != 0 else { return nil }
        let names = (1...64).filter { marked >> ($0 - 1) & 1 != 0 }
            .map { Signal(rawValue: Int32($0)).description }
        guard let last = names.last else { return nil }
        let list =
            names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " or " + last
        return "had it been \(list) with the default action, that would have been marked"
    }
}
