// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Whether a report has everything that there was to know. That must be proved: what is not shown
/// to be complete counts as incomplete. docs/decisions/unwinding.md
package struct Completeness: Sendable, Equatable {
    /// What the dump says it lacks.
    package var damage: [Damage] = []
    /// What else is missing or uncertain, as sentences without a full stop: threads that were not
    /// found, stacks that are not whole.
    package var doubts: [String] = []
    /// What may be missing although nothing shows that it is, as clauses: for example threads that
    /// were not examined.
    package var unproven: [String] = []

    /// Everything that is missing or uncertain, as sentences without a full stop; empty if nothing
    /// is.
    package var failures: [String] { damage.map(\.sentence) + doubts }

    /// The subject of each of them: `thread 7`.
    var subjects: [String] {
        damage.map(\.subject) + doubts.map { String($0.prefix { $0 != ":" }) }
    }

    /// Whether nothing is missing, and that is proved.
    package var isComplete: Bool { damage.isEmpty && doubts.isEmpty && unproven.isEmpty }

    /// - Parameters:
    ///   - threads: all of the report's.
    ///   - evidence: what is known about the modules on their stacks.
    init(
        of snapshot: ProcessSnapshot, _ threads: [ExplainedThread], _ evidence: UnwindingEvidence
    ) {
        damage = snapshot.damage
        countThreads(threads.count, of: snapshot)
        var modules: Set<Int> = []
        var (unread, kept) = (0, 0)
        for thread in threads {
            if let doubt = doubt(about: thread.thread) { doubts.append(doubt) }
            guard let stack = thread.stack else { continue }
            guard stack.isUnwound else {
                // A thread without registers has no stack that could be examined.
                unread += 1
                continue
            }
            if stack.isKept { kept += 1 }
            let subject = thread.thread.damageSubject
            let isCutKnown = damage.contains { $0.subject == "stack of \(subject)" }
            let found = StackDoubts(stack, evidence, isCutKnown: isCutKnown)
            doubts += found.words.map { "\(subject): \($0)" }
            modules.formUnion(found.modules)
        }
        doubts += modules.sorted().compactMap { evidence.sentence(on: $0, of: snapshot.modules) }
        if unread > 0 {
            unproven.append(
                "the \(unread == 1 ? "stack" : "stacks") of \(counted(unread, "thread")) "
                    + "\(unread == 1 ? "was" : "were") not looked at")
        }
        if kept > 0 {
            // A list of frames is not unwound again from the stack, so a frame missing from it
            // would not be noticed.
            unproven.append(
                "the \(kept == 1 ? "stack" : "stacks") of \(counted(kept, "thread")) "
                    + "\(kept == 1 ? "is" : "are") as found when the report was filed, and nothing "
                    + "at hand proves \(kept == 1 ? "it" : "them")")
        }
    }

    /// A thread without all of its registers, unless the list of damage already has it.
    private func doubt(about thread: ThreadSnapshot) -> String? {
        guard thread.completeness != .complete,
            !damage.contains(where: { $0.subject == thread.damageSubject })
        else { return nil }
        let why = thread.whyIncomplete ?? "not all of it is in the dump"
        return "\(thread.damageSubject): \(why)"
    }

    /// Whether every thread of the process is in the dump; a thread of which only the id is known
    /// is listed separately.
    private mutating func countThreads(_ here: Int, of snapshot: ProcessSnapshot) {
        guard let all = snapshot.threadCount else {
            unproven.append("nothing in the dump tells how many threads the process had")
            return
        }
        guard here < all else { return }
        let isWanted = snapshot.request?.includesAllThreads == false
        let why = isWanted ? ", as the program asked for no other" : ""
        doubts.append("threads: \(here.grouped) of \(all.grouped) are in the dump\(why)")
    }
}

extension ProcessSnapshot {
    /// How many threads the process had: from the capture, or from the kernel's own count, the line
    /// `Threads:` of /proc/PID/status, proc(5). Nil if the dump has neither.
    var threadCount: Int? {
        if let count = capture?.threadsFound { return Int(count) }
        let lines = (files.status?.text ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("Threads:") }
        return line.flatMap { Int($0.dropFirst("Threads:".count).filter { !$0.isWhitespace }) }
    }
}
